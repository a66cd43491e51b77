import StoreModels
import Testing

/// Goal: whatever a stranger's server says can be stored, read as JSON and shown in a terminal.
@Suite struct PrintableTextTests {
    @Test(
        arguments: [
            ([], ""), (Array("plain, naïve, 日本, 👍".utf8), "plain, naïve, 日本, 👍"),
            (Array("two\r\nlines\tand a tab".utf8), "two  lines and a tab"), ([0x61, 0, 0x62], "a\u{FFFD}b"),
            ([0x1B, 0x5B, 0x33, 0x31, 0x6D], "\u{FFFD}[31m"), ([0xFF, 0xFE, 0x61], "\u{FFFD}\u{FFFD}a"),
            ([0xE2, 0x82], "\u{FFFD}"), ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
            (Array("a\u{202E}b\u{2028}c\u{85}d\u{E000}e\u{7F}".utf8), "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}"),
        ] as [([UInt8], String)])
    func `what is no text, and what moves a cursor, is replaced`(_ bytes: [UInt8], _ text: String) {
        #expect(PrintableText(bytes).text.unicodeScalars.elementsEqual(text.unicodeScalars))
    }

    @Test(arguments: ["a", "é", "日", "👍"])
    func `it ends at the last character that fits`(_ character: String) {
        let text = PrintableText(String(repeating: character, count: 300)).text
        #expect(text.utf8.count <= PrintableText.bytesMax)
        #expect(text.utf8.count > PrintableText.bytesMax - 4)
        #expect(text.allSatisfy { "\($0)" == character })
        #expect(PrintableText(repeatElement(0, count: 1 << 20)).text.utf8.count <= PrintableText.bytesMax)
    }
}
