// Histograms of a page of metrics in Prometheus's text form, one for each name that `group` makes of the labels' values; without
// a name it is left out.
export function histograms(page, metric, labels, group = name => name) {
    const found = new Map();
    const entry = name => {
        if (!found.has(name)) found.set(name, { name, count: 0, sum: 0, buckets: new Map() });
        return found.get(name);
    };
    for (const line of page.split('\n')) {
        const [, suffix, inside, value] = line.startsWith(metric) ? /^[a-z_]+?_(bucket|sum|count)\{(.*)\} (\S+)$/.exec(line) || [] : [];
        if (!suffix) continue;
        const of = Object.fromEntries([...inside.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)].map(([, name, text]) => [name, text]));
        const name = group(labels.map(label => of[label]).filter(Boolean).join(' '));
        if (name === undefined) continue;
        const one = entry(name);
        const count = Number(value);
        if (suffix === 'sum') one.sum += count;
        else if (suffix === 'count') one.count += count;
        else {
            const le = of.le === '+Inf' ? Infinity : Number(of.le);
            one.buckets.set(le, (one.buckets.get(le) || 0) + count);
        }
    }
    return [...found.values()].filter(one => one.count > 0).sort((a, b) => b.count - a.count);
}

// The upper bound of the bucket that a share of the observations is within.
export function quantile({ count, buckets }, share) {
    return [...buckets].sort(([a], [b]) => a - b).find(([, within]) => within >= count * share)?.[0];
}
