// Rates a second of counters, from the answers that a page had one after another.
const LEAST = 500;

export function rates(kept = 60) {
    const known = new Map();
    return {
        // `counts`: [key, count] pairs of one answer. A key that is not in it is forgotten; one whose count fell begins anew.
        take(counts, at = performance.now()) {
            const old = new Map(known);
            known.clear();
            for (const [key, count] of counts) {
                const before = old.get(key);
                if (!before || count < before.count) known.set(key, { count, at, samples: [] });
                else if (at - before.at < LEAST) known.set(key, before);
                else known.set(key, { count, at, samples: [...before.samples, { at, value: (count - before.count) / (at - before.at) * 1000 }].slice(-kept) });
            }
        },
        samples: key => known.get(key)?.samples || [],
        // The last one; undefined before two answers.
        last: key => known.get(key)?.samples.at(-1)?.value,
    };
}
