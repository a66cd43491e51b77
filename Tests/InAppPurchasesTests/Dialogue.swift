import Foundation
import StorebusTesting

/// A dialogue as the sample app's page prints it: what the user types, what is done elsewhere, what the app shows.
enum Dialogue {
    enum Line {
        /// `> 1`
        case typed(String)
        /// `$ storebus intent com.example.hiddenBeaches --as alice`, in another terminal.
        case elsewhere([String])
        case shown(String)
    }

    /// The lines of all `text` blocks of `Examples/InAppPurchases/README.md`.
    static func ofPage() throws -> [Line] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let page = try String(
            contentsOf: root.appendingPathComponent("Examples/InAppPurchases/README.md"), encoding: .utf8)
        var lines: [Line] = []
        var isInside = false
        for line in page.components(separatedBy: "\n") {
            if line == "```text" || (isInside && line == "```") {
                isInside.toggle()
            } else if isInside {
                lines.append(read(line))
            }
        }
        return lines
    }

    private static func read(_ line: String) -> Line {
        if line.hasPrefix("> ") { return .typed(String(line.dropFirst(2))) }
        if line.hasPrefix("$ storebus ") { return .elsewhere(line.split(separator: " ").dropFirst(2).map(String.init)) }
        return .shown(line)
    }

    /// Whether a line is as expected: instants may differ, and `…` is any text.
    static func matches(_ expected: String, _ line: String) -> Bool {
        let instant = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/
        let expected = expected.replacing(instant, with: "INSTANT")
        let line = line.replacing(instant, with: "INSTANT")
        let parts = expected.components(separatedBy: "…")
        guard parts.count == 2 else { return expected == line }
        return line.hasPrefix(parts[0]) && line.hasSuffix(parts[1])
            && line.utf8.count >= parts[0].utf8.count + parts[1].utf8.count
    }
}
