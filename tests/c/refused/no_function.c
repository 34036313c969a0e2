#define SIZE 64
extern float table[SIZE];
