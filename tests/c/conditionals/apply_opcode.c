void apply_opcode(int n, const unsigned char op[n], const int a[n], const int b[n], int r[n])
{
    for (int i = 0; i < n; i++) {
        switch (op[i]) {
        case 0:
            r[i] = a[i] + b[i];
            break;
        case 1:
        case 2:
            r[i] = a[i] - b[i];
            break;
        case 3:
            r[i] = a[i] * b[i];
            break;
        default:
            r[i] = 0;
        }
    }
}
