void f(int n, float f_kernel[n], const float template[n], float class[n], float new[n], int this, float private[n]) {
    for (int operator = 0; operator < n; operator++) { class[operator] = template[operator] + this; new[operator] = template[operator]; private[operator] = f_kernel[operator] * 2; }
}
