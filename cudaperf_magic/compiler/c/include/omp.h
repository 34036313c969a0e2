/* Pragmas are ignored; omp_ functions are refused where they are used. */
