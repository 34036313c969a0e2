#ifndef OWN_HEADER_H
#define OWN_HEADER_H

#define CHANNELS 3

typedef double value_t;

typedef struct {
    value_t v[CHANNELS];
} sample;

static inline value_t weigh(value_t v, int channel)
{
    return v / (1 << channel);
}

#endif
