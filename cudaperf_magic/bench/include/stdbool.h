#pragma once
/* bool is a keyword in CUDA C++. */
#define __bool_true_false_are_defined 1
