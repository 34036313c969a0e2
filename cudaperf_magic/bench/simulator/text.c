/* printf and assert of a kernel: reads the format and its arguments from simulated memory, writes into a bounded text. */
#include <stdio.h>
#include "sim.h"
#include "faults.h"

static void append(Warp *w, u32 site, u32 lane, const char *text, u64 length) {
    Sim *s = w->sim;
    if (s->text_used + length > s->text_limit) {
        length = s->text_limit - s->text_used;
        if (!s->text_cut) rt_fault(w, FAULT_PRINTF, site, lane, s->text_limit, 0);
        s->text_cut = 1;
        s->stopped = 1;
    }
    memcpy(s->text + s->text_used, text, length);
    s->text_used += length;
}

/* Copies the zero-ended text at a generic address, at most `room` bytes; what lies outside any buffer reads as an end. */
static void text_at(Warp *w, u64 address, char *out, u32 room) {
    Sim *s = w->sim;
    u32 n = 0;
    while (n + 1 < room) {
        u64 offset = address + n - (u64)s->arena;
        char c = 0;
        if (offset < s->arena_bytes) c = (char)s->arena[offset];
        if (!c) break;
        out[n++] = c;
    }
    out[n] = 0;
}

typedef struct { u64 at; u32 taken; } Arguments;

/* Takes one argument of `size` bytes, aligned to its size, as the caller packed it. */
static u64 take(Warp *w, u32 site, u32 lane, Arguments *a, u32 size) {
    u64 value = 0;
    a->at = (a->at + size - 1) & ~(u64)(size - 1);
    memcpy(&value, rt_at(w, SPACE_GENERIC, site, lane, a->at, size), size);
    a->at += size;
    a->taken++;
    return value;
}

static const char *one(Warp *w, u32 lane, u32 site, const char *format, Arguments *arguments) {
    char spec[40], out[512], text[400];
    u32 n = 0, longs = 0, digits = 0;  /* a width of more than three digits would take gigabytes and seconds */
    s32 stars[2] = {0, 0}; u32 star_count = 0;
    spec[n++] = *format++;
    while (*format && strchr("-+ #0123456789.*hlLjztq", *format) && n < 32) {
        if (*format == '*') { if (star_count < 2) stars[star_count++] = (s32)take(w, site, lane, arguments, 4); n += (u32)snprintf(spec + n, 12, "%d", stars[star_count - 1] % 200); format++; continue; }
        longs += strchr("lLjztq", *format) != NULL;
        digits = *format >= '0' && *format <= '9' ? digits + 1 : 0;
        if (!strchr("hlLjztq", *format) && digits <= 3) spec[n++] = *format;
        format++;
    }
    char kind = *format ? *format++ : 0;
    s32 length = 0;
    if (strchr("fFeEgGaA", kind) && kind) {
        f64 value; u64 bits = take(w, site, lane, arguments, 8);
        memcpy(&value, &bits, 8);
        spec[n++] = kind; spec[n] = 0;
        length = snprintf(out, sizeof out, spec, value);
    } else if (kind == 's') {
        text_at(w, take(w, site, lane, arguments, 8), text, sizeof text);
        spec[n++] = 's'; spec[n] = 0;
        length = snprintf(out, sizeof out, spec, text);
    } else if (kind == 'p') length = snprintf(out, sizeof out, "0x%llx", (unsigned long long)take(w, site, lane, arguments, 8));
    else if (kind && strchr("diouxXc", kind)) {
        if (kind == 'c') longs = 0;
        u64 value = take(w, site, lane, arguments, longs ? 8 : 4);
        if (kind != 'c') { spec[n++] = 'l'; spec[n++] = 'l'; }
        spec[n++] = kind; spec[n] = 0;
        if (kind == 'c') length = snprintf(out, sizeof out, spec, (int)value);
        else if (kind == 'd' || kind == 'i') length = snprintf(out, sizeof out, spec, longs ? (long long)value : (long long)(s32)value);
        else length = snprintf(out, sizeof out, spec, (unsigned long long)value);
    } else { append(w, site, lane, "%", 1); if (kind && kind != '%') append(w, site, lane, &kind, 1); }
    if (length > 0) append(w, site, lane, out, (u64)length < sizeof out ? (u64)length : sizeof out - 1);
    return format;
}

/* As CUDA does, answers how many arguments it took. */
u32 rt_vprintf(Warp *w, u32 lane, u32 site, u64 format_address, u64 packed) {
    Arguments arguments = {packed, 0};
    char format[2048];
    text_at(w, format_address, format, sizeof format);
    for (const char *f = format; *f && !w->sim->text_cut;) {
        if (*f == '%') f = one(w, lane, site, f, &arguments);
        else { append(w, site, lane, f, 1); f++; }
    }
    return arguments.taken;
}

void rt_assert(Warp *w, u32 lane, u32 site, u64 message, u64 file, u32 line) {
    char text[160];
    (void)file;
    text_at(w, message, text, sizeof text);
    rt_fault(w, FAULT_ASSERT, site, lane, w->sim->text_used, line);
    append(w, site, lane, "assertion failed: ", 18);
    append(w, site, lane, text, strlen(text));
    append(w, site, lane, "\n", 1);
    w->sim->stopped = 1;
}
