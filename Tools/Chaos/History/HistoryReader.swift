import StoreModels

/// A line of a history that cannot be used: its place, the reason and the remedy.
package struct HistoryFault: Error, Equatable, CustomStringConvertible {
    package var file: String
    /// Number of the line, from 1. 0 for the file as a whole.
    package var line: Int
    package var reason: String
    package var remedy: String
    /// Whether the file is missing.
    package var isMissing = false

    /// The place and reason in one sentence. A fault of the file as a whole has line 0.
    package var description: String { line == 0 ? "\(file) \(reason)" : "\(file):\(line): \(reason)" }
}

/// Reads `history.jsonl`.
package enum HistoryReader {
    /// Reads every line and checks their connection. They are numbered from 1, in the order of time, and each end has
    /// its own `invoke` before it.
    ///
    /// - Parameter file: The file's name, for faults.
    /// - Throws: ``HistoryFault`` at the first invalid line.
    package static func read(_ bytes: [UInt8], file: String) throws(HistoryFault) -> [HistoryEntry] {
        var entries: [HistoryEntry] = []
        var open: [Int: HistoryEntry.Operation] = [:]
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n"))
            let number = entries.count + 1
            guard let end else {
                throw HistoryFault(
                    file: file, line: number, reason: "the last line has no end: the run was broken off while writing",
                    remedy: "remove line \(number), and check the rest")
            }
            let entry = try decode(Array(bytes[start..<end]), file, number)
            try check(entry, after: entries.last, number, &open, file)
            entries.append(entry)
            start = end + 1
        }
        return entries
    }

    private static func decode(_ line: [UInt8], _ file: String, _ number: Int) throws(HistoryFault) -> HistoryEntry {
        do throws(StoreError) {
            return try StoreJSON.decode(HistoryEntry.self, from: line)
        } catch {
            throw HistoryFault(
                file: file, line: number, reason: "no line of a history: \(error.message)",
                remedy: "repeat the run, or name the directory of an unchanged one")
        }
    }

    private static func check(
        _ entry: HistoryEntry, after last: HistoryEntry?, _ number: Int,
        _ open: inout [Int: HistoryEntry.Operation], _ file: String
    ) throws(HistoryFault) {
        func fault(_ reason: String) -> HistoryFault {
            HistoryFault(
                file: file, line: number, reason: reason,
                remedy: "lines were removed or reordered: name the directory of an unchanged run")
        }
        guard entry.index == number else { throw fault("the line says it is number \(entry.index)") }
        if let last, entry.time < last.time { throw fault("its time is before that of the line above") }
        if entry.kind == .invoke {
            open[number] = entry.operation
        } else if let of = entry.of {
            guard let operation = open.removeValue(forKey: of) else {
                throw fault("it ends line \(of), which is not an open invoke")
            }
            guard operation == entry.operation else {
                throw fault("it ends line \(of), which is of \(operation.rawValue)")
            }
        }
    }
}
