static unsigned next_bits(unsigned s) { return s * 1664525u + 1013904223u; }

double option_payoff(int paths, int steps, double s0, double strike)
{
    double total = 0.0;
    for (int p = 0; p < paths; p++) {
        unsigned s = 12345u + 2654435761u * (unsigned)p;
        double price = s0;
        for (int t = 0; t < steps; t++) {
            s = next_bits(s);
            double u = (s >> 9) / 8388608.0 - 0.5;
            price *= 1.0 + 0.02 * u;
        }
        total += price > strike ? price - strike : 0.0;
    }
    return total / paths;
}
