// Sorting in place without recursion, memory or calls: a shell sort with Knuth's gaps, for lists of up to
// some hundreds of items that are often nearly in order. It is not stable: the order has to tell any two
// items apart, then the result is the same on every machine.
#pragma once

// Sorts `items[0 … count − 1]`. `aFirst` is an expression of the items `a` and `b`, named by the caller: true
// where a comes before b.
//
//     CN_SHELL_SORT(int, rows, count, a, b, weight[a] > weight[b] || (weight[a] == weight[b] && a < b));
#define CN_SHELL_SORT(type, items, itemCount, a, b, aFirst)                                                  \
    do {                                                                                                     \
        int sortGap = 1;                                                                                     \
        while (3 * sortGap + 1 < (itemCount)) {                                                              \
            sortGap = 3 * sortGap + 1;                                                                       \
        }                                                                                                    \
        for (; sortGap > 0; sortGap /= 3) {                                                                  \
            for (int sortFrom = sortGap; sortFrom < (itemCount); ++sortFrom) {                               \
                const type a = (items)[sortFrom];                                                            \
                int sortTo = sortFrom;                                                                       \
                for (; sortTo >= sortGap; sortTo -= sortGap) {                                               \
                    const type b = (items)[sortTo - sortGap];                                                \
                    if (!(aFirst)) {                                                                         \
                        break;                                                                               \
                    }                                                                                        \
                    (items)[sortTo] = b;                                                                     \
                }                                                                                            \
                (items)[sortTo] = a;                                                                         \
            }                                                                                                \
        }                                                                                                    \
    } while (0)
