import StoreModels
import StorebusTesting
import Testing

@testable import Chaos

/// Reading and writing of `history.jsonl`.
@Suite struct HistoryReaderTests {
    private func read(_ text: String) throws(HistoryFault) -> [HistoryEntry] {
        try HistoryReader.read(Array(text.utf8), file: "h.jsonl")
    }

    private static let first = #"{"index":1,"time":5,"process":1,"kind":"invoke","operation":"purchase"}"#

    @Test func `a line that was written is the line that is read`() throws {
        let entry = HistoryEntry(
            index: 1, time: 7, process: 2, kind: .ok, operation: .finalCharges, app: "a", account: "é", status: 200,
            milliseconds: 1.5,
            transactions: [
                ObservedTransaction(id: "t", state: "purchased", product: "p", price: 199, currency: "USD", revision: 2)
            ],
            charges: [ObservedCharge(key: "purchase:t", outcome: "approved", amount: 199, currency: "USD")],
            detail: ["now": "1"])
        let line = HistoryWriter.line(entry)
        #expect(try HistoryReader.read(line, file: "h.jsonl") == [entry])
    }

    @Test func `a writer numbers its lines and never goes back in time`() async throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/history.jsonl"
        let writer = try HistoryWriter(path: path) { 7 }
        await withTaskGroup { group in
            for process in 1...8 {
                group.addTask {
                    for _ in 1...100 {
                        writer.append(HistoryEntry(time: 0, process: process, kind: .invoke, operation: .purchase))
                    }
                }
            }
        }
        try writer.flush()
        let entries = try HistoryReader.read(try RunDirectory.bytes(of: path), file: path)
        #expect(entries.map(\.index) == Array(1...800))
        #expect(entries.allSatisfy { $0.time == 7 })
    }

    @Test(arguments: [
        ("{", "no line of a history"), (#"{"index":1}"#, "no line of a history"),
        (#"{"index":2,"time":5,"process":1,"kind":"invoke","operation":"purchase"}"#, "number 2"),
        (first + "\n" + #"{"index":2,"time":4,"process":1,"kind":"ok","operation":"purchase","of":1}"#, "before that"),
        (first + "\n" + #"{"index":2,"time":5,"process":1,"kind":"ok","operation":"finish","of":1}"#, "of purchase"),
        (first + "\n" + #"{"index":2,"time":5,"process":1,"kind":"ok","operation":"purchase","of":2}"#, "not an open"),
    ])
    func `a bad line is refused with file, line and remedy`(text: String, reason: String) throws {
        let fault = #expect(throws: HistoryFault.self) { try read(text + "\n") }
        let lines = text.split(separator: "\n").count
        #expect(fault?.file == "h.jsonl" && fault?.line == lines && fault?.remedy.isEmpty == false)
        #expect(fault?.reason.contains(reason) == true, "\(fault?.reason ?? "")")
    }

    @Test func `a line that was not written to its end is refused`() {
        let fault = #expect(throws: HistoryFault.self) { try read(Self.first + "\n" + #"{"index":2"#) }
        #expect(fault?.line == 2 && fault?.remedy.contains("remove line 2") == true)
    }
}
