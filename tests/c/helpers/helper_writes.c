typedef struct { double x, y; } point;

static void rotate_by(point *p, double c, double s)
{
    double x = p->x;
    p->x = c * x - s * p->y;
    p->y = s * x + c * p->y;
}

void helper_writes(int n, point pts[n], double c, double s)
{
    for (int i = 0; i < n; i++)
        rotate_by(&pts[i], c, s);
}
