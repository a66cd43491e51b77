import StoreModels
import Testing

@testable import Storebus

/// `docs/ERRORS.md` names every code, with the numbers the program uses.
@Suite struct ErrorDocumentTests {
    private func document() throws -> [String] {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let text = try #require(FileAccess.text("/\(root)/docs/ERRORS.md"))
        return text.split(separator: "\n").map(String.init)
    }

    private func row(_ code: String, _ lines: [String]) -> [String]? {
        lines.first { $0.contains("<a id=\"\(code.lowercased())\"></a>`\(code)`") }?
            .split(separator: "|").map { cell in
                String(cell.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
    }

    @Test func `every code of the store is in the table`() throws {
        let lines = try document()
        for code in StoreErrorCode.all {
            let cells = try #require(row(code.name, lines), "\(code) is missing")
            #expect(cells[1] == "\(code.status)", "\(code)")
            #expect(cells[2] == (code.isRetryable ? "yes" : "no"), "\(code)")
            #expect(cells[3] == "\(CLIErrorCode(code).status.rawValue)", "\(code)")
            #expect(cells[4] == code.remedy)
        }
    }

    @Test func `every code of the command line is in the table`() throws {
        let lines = try document()
        for code in CLIErrorCode.own where code != .internal {
            let cells = try #require(row(code.name, lines), "\(code.name) is missing")
            #expect(cells[1].hasPrefix("\(code.status.rawValue)"), "\(code.name)")
        }
    }

    @Test func `every exit status is in the table`() throws {
        let lines = try document()
        for status in CLIExit.allCases {
            #expect(lines.contains("| \(status.rawValue) | \(status.meaning) |"))
        }
    }
}
