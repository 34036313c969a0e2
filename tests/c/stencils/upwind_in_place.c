void upwind_in_place(int rows, int n, double c, double u[rows][n])
{
    for (int r = 0; r < rows; r++)
        for (int i = 1; i < n; i++)
            u[r][i] = u[r][i] - 0.1 * c * (u[r][i] - u[r][i - 1]);
}
