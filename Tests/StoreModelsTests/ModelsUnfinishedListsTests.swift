import Testing

@testable import StoreModels

/// Goal: a page arrives byte for byte, and what does not have the announced lengths is refused.
@Suite struct ModelsUnfinishedListsTests {
    private static let pages = [#"{"transactions":[]}"#, #"{"after":"é","transactions":[{"id":"null"}]}"#]

    private func lists(_ text: String) throws -> UnfinishedLists { try UnfinishedLists(reading: Array(text.utf8)) }

    @Test func `pages are read as they were written, with the decoder and without it`() throws {
        let samples: [[String?]] = [[], [Self.pages[0]], [nil], [Self.pages[1], nil, Self.pages[0], nil]]
        for sample in samples {
            let sent = UnfinishedLists(pages: sample.map { $0.map { ArraySlice($0.utf8) } })
            let bytes = try StoreJSON.encode(sent)
            #expect(try UnfinishedLists(reading: bytes) == sent)
            #expect(try StoreJSON.decode(UnfinishedLists.self, from: bytes) == sent)
        }
    }

    @Test func `the text is JSON that anyone can read`() throws {
        let sent = UnfinishedLists(pages: [ArraySlice(Self.pages[0].utf8), nil])
        let text = String(decoding: try StoreJSON.encode(sent), as: UTF8.self)
        #expect(text == #"{"lengths":[19,4],"pages":[{"transactions":[]},null]}"#)
    }

    @Test(arguments: [
        "", "{}", #"{"lengths":[],"pages":[]"#, #"{"lengths":[],"pages":[]}}"#, #"{"lengths":[2],"pages":[]}"#,
        #"{"lengths":[],"pages":[{}]}"#, #"{"lengths":[1],"pages":[{}]}"#, #"{"lengths":[3],"pages":[{}]}"#,
        #"{"lengths":[2,2],"pages":[{}{}]}"#, #"{"lengths":[2 ],"pages":[{}]}"#, #"{"lengths":[-2],"pages":[{}]}"#,
        #"{"lengths":[2,],"pages":[{}]}"#, #"{"lengths":[99999999999999999999],"pages":[{}]}"#,
    ])
    func `what does not have the announced lengths is refused`(text: String) {
        #expect(throws: StoreError.self) { try lists(text) }
    }

    @Test func `at most 32 pages are asked for, and none that counts as a delivery`() throws {
        func page(counts: Bool = false, opening: StreamOpening? = nil) -> SnapshotRequest {
            SnapshotRequest(
                bundleId: "a", customerIdentifier: "c", deviceId: "d", countsDelivery: counts, opening: opening)
        }
        try UnfinishedListsRequest(lists: Array(repeating: page(), count: 32)).validate()
        for refused in [
            Array(repeating: page(), count: 33), [page(), page(counts: true)], [page(opening: StreamOpening())],
        ] {
            #expect(throws: StoreError.self) { try UnfinishedListsRequest(lists: refused).validate() }
        }
    }
}
