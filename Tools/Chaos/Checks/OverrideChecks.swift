/// Checks M1–M3: promotion overrides as registers, one for each device's order and for each product's visibility.
///
/// A value is the lines' `version` if all lines of a register have one, or else the order or visibility. A write with
/// an unknown end may take effect at any later moment, or never.
struct OverrideChecks: Checker {
    private struct Register: Hashable, Comparable {
        var app: String
        var device: String
        /// `order`, or `visibility` with a product.
        var name: String

        static func < (left: Register, right: Register) -> Bool {
            (left.app, left.device, left.name) < (right.app, right.device, right.name)
        }
    }

    private struct Access {
        var value: String
        var begin: Int
        /// After the whole history for a write with an unknown end.
        var end: Int
        var lines: [Int?]
    }

    private struct Log {
        var writes: [Access] = []
        var reads: [Access] = []
    }

    let history: RunHistory
    var findings = Findings()
    private var logs: [Register: Log] = [:]
    /// Devices that wrote a value, by the app, register and value.
    private var writers: [[String]: Set<String>] = [:]

    mutating func run() {
        for (register, log) in logs.sorted(by: { $0.key < $1.key }) {
            let initial = initial(register, log)
            stale(register, log, initial)
            zones(register, log, initial)
        }
        pages()
    }

    init(history: RunHistory) {
        self.history = history
        let accesses = history.attempts(.overrideWrite, .overrideRead, .finalOverride).compactMap { attempt in
            Self.register(attempt).map { (register: $0.0, value: $0.1, attempt: attempt) }
        }.filter { $0.attempt.operation == .overrideWrite ? $0.attempt.isPossible : $0.attempt.isOK }
        // Versions tell writes of equal values apart, where reads know them too.
        let unversioned = Set(accesses.filter { $0.attempt.detail["version"] == nil }.map(\.register))
        for (register, text, attempt) in accesses {
            let value = unversioned.contains(register) ? text : attempt.detail["version"] ?? text
            let access = Access(
                value: value, begin: attempt.begin,
                end: attempt.operation == .overrideWrite ? attempt.definiteEnd : attempt.end ?? attempt.begin,
                lines: [attempt.begin, attempt.end])
            if attempt.operation == .overrideWrite {
                logs[register, default: Log()].writes.append(access)
                writers[[register.app, register.name, value], default: []].insert(register.device)
            } else {
                logs[register, default: Log()].reads.append(access)
            }
        }
    }

    /// The register an attempt is about, with the value it writes or reads.
    private static func register(_ attempt: RunHistory.Attempt) -> (Register, String)? {
        let (app, device) = (attempt.app ?? "", attempt.device ?? "")
        if let order = attempt.detail["order"] { return (Register(app: app, device: device, name: "order"), order) }
        guard let visibility = attempt.detail["visibility"] else { return nil }
        return (Register(app: app, device: device, name: "visibility \(attempt.product ?? "")"), visibility)
    }

    private mutating func report(
        _ invariant: Invariant, _ register: Register, _ expected: String, _ found: String, _ lines: [Int?]
    ) {
        report(invariant, "\(register.name) of \(register.device)", expected, found, lines)
    }

    /// M3 and M1. The first value that was read and that the device did not write is its earlier value. A value that
    /// another device alone wrote is that one's, and a second unwritten value comes from nowhere.
    /// - Returns: The value before the first write, or nil if no read shows it.
    private mutating func initial(_ register: Register, _ log: Log) -> String? {
        let written = Set(log.writes.map(\.value))
        var initial: String?
        for read in log.reads where !written.contains(read.value) {
            let others = writers[[register.app, register.name, read.value]] ?? []
            findings.examine(.m3)
            if let other = others.min(), !["", "default", "0"].contains(read.value) {
                report(
                    .m3, register, "a value \(register.device) wrote", "'\(read.value)', which \(other) wrote",
                    lines(of: read.value, register, other) + read.lines)
            } else if let initial, initial != read.value {
                report(.m1, register, "a value that was written", "'\(read.value)', which no device wrote", read.lines)
            } else {
                initial = read.value
            }
        }
        findings.examine(.m3, log.reads.count)
        return initial
    }

    private func lines(of value: String, _ register: Register, _ device: String) -> [Int?] {
        var other = register
        other.device = device
        return logs[other]?.writes.first { $0.value == value }?.lines ?? []
    }

    /// M1. A read returns a value whose write could be the last: it began before the read ended, and no other write
    /// that began after it ended had ended before the read began. Sorted by their ends, the latest beginning of the
    /// writes before a read decides.
    private mutating func stale(_ register: Register, _ log: Log, _ initial: String?) {
        let byEnd = log.writes.filter { $0.end < .max }.sorted { $0.end < $1.end }
        var candidates: [String: [Access]] = [:]
        for write in log.writes { candidates[write.value, default: []].append(write) }
        var (next, latest): (Int, Access?) = (0, nil)
        for read in log.reads.sorted(by: { $0.begin < $1.begin }) {
            findings.examine(.m1)
            while next < byEnd.count, byEnd[next].end < read.begin {
                if byEnd[next].begin > (latest?.begin ?? -1) { latest = byEnd[next] }
                next += 1
            }
            let own = (candidates[read.value] ?? []).filter { $0.begin < read.end }
            let mayBeInitial = read.value == initial || ["", "default", "0"].contains(read.value)
            let last = own.map(\.end).max() ?? (mayBeInitial ? -1 : nil)
            // A value without any write was reported before.
            guard let last, let latest, last < latest.begin else { continue }
            report(
                .m1, register, "'\(latest.value)' or later", "'\(read.value)', which is older",
                own.flatMap(\.lines) + latest.lines + read.lines)
        }
    }

    /// M1. Values do not flip-flop (Gibbons and Korach): with one write each, a value is in force at least from the
    /// first end to the last beginning among its write and reads. Two such spans do not overlap, and no value whose
    /// operations all overlap fits within another's span.
    private mutating func zones(_ register: Register, _ log: Log, _ initial: String?) {
        struct Zone { var value: String; var first: Int; var last: Int; var lines: [Int?] }
        var zones: [String: Zone] = [:]
        let counts = Dictionary(log.writes.map { ($0.value, 1) }, uniquingKeysWith: +)
        for write in log.writes where counts[write.value] == 1 && write.value != initial {
            guard !["", "default", "0"].contains(write.value) else { continue }
            zones[write.value] = Zone(value: write.value, first: write.end, last: write.begin, lines: write.lines)
        }
        for read in log.reads {
            guard var zone = zones[read.value] else { continue }
            (zone.first, zone.last) = (min(zone.first, read.end), max(zone.last, read.begin))
            zone.lines += read.lines
            zones[read.value] = zone
        }
        let forward = zones.values.filter { $0.first < $0.last }.sorted { $0.first < $1.first }
        var widest: Zone?
        for zone in forward {
            if let widest, zone.first < widest.last {
                report(
                    .m1, register, "'\(widest.value)' and '\(zone.value)' one after the other",
                    "reads go from one to the other and back", widest.lines + zone.lines)
                return
            }
            widest = zone
        }
        for zone in zones.values.sorted(by: { $0.last < $1.last }) where zone.first >= zone.last {
            var (low, high) = (0, forward.count)
            while low < high {
                let middle = (low + high) / 2
                if forward[middle].first < zone.last { low = middle + 1 } else { high = middle }
            }
            guard low > 0, zone.first < forward[low - 1].last else { continue }
            report(
                .m1, register, "'\(forward[low - 1].value)' in force throughout",
                "'\(zone.value)' was written and acknowledged meanwhile", forward[low - 1].lines + zone.lines)
            return
        }
    }

    /// M2. A page has each product once. If no write overlaps the page, it begins with the order's products that it
    /// has, and leaves out hidden ones.
    private mutating func pages() {
        for page in history.attempts(.storePage) where page.isOK {
            guard let end = page.end, let order = page.detail["order"] else { continue }
            let shown = order.split(separator: " ").map(String.init)
            let name = Register(app: page.app ?? "", device: page.device ?? "", name: "page")
            findings.examine(.m2)
            guard Set(shown).count == shown.count else {
                report(.m2, name, "each product once", order, [page.begin, end])
                continue
            }
            let register = Register(app: name.app, device: name.device, name: "order")
            if let write = settled(register, page.begin, end),
                let wanted = history.entries[write.begin].detail?["order"]
            {
                let first = wanted.split(separator: " ").map(String.init).filter { Set(shown).contains($0) }
                if Array(shown.prefix(first.count)) != first {
                    report(.m2, name, "first \(first.joined(separator: " "))", order, write.lines + [page.begin, end])
                }
            }
            for product in shown {
                let register = Register(app: name.app, device: name.device, name: "visibility \(product)")
                guard let write = settled(register, page.begin, end),
                    history.entries[write.begin].detail?["visibility"] == "hide"
                else { continue }
                report(.m2, name, "\(product) hidden", order, write.lines + [page.begin, end])
            }
        }
    }

    /// The write in force during a read. It was acknowledged before the read, and every other write ended before it
    /// began or began after the read.
    private func settled(_ register: Register, _ begin: Int, _ end: Int) -> Access? {
        guard let log = logs[register], let last = log.writes.last(where: { $0.begin < end }), last.end < begin,
            log.writes.allSatisfy({ $0.begin == last.begin || $0.end < last.begin || $0.begin > end })
        else { return nil }
        return last
    }
}
