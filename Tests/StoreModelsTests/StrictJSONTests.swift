import StoreModels
import Testing

@Suite struct StrictJSONTests {
    @Test(arguments: [
        #"{"a":1,"a":2}"#, #"{"a":{"b":1,"c":2,"b":3}}"#, "{\"a\":\"\\u0000\"}", #"{"a":"\ud800"}"#,
        #"{"a":"\udc00x"}"#,
        "\u{FEFF}{}", "{} x", "[1,]", "{\"a\":01}", "{\"a\":+1}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":1e}", "nul", "",
        "{\"a\":\"\u{01}\"}", "[", "{\"a\"", "\"\\x\"", "{'a':1}", "[NaN]", "\"\\u+123\"",
    ])
    func `what parsers disagree about is refused`(text: String) {
        #expect(throws: StrictJSONError.self) { try StrictJSON.validate(Array(text.utf8)) }
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: StrictJSONError.self) { try StrictJSON.validate([0x22, 0xC3, 0x28, 0x22]) }
        #expect(throws: StrictJSONError.self) { try StrictJSON.validate([0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00]) }
    }

    @Test func `text is UTF-8 exactly where the standard library says so`() {
        let following: [UInt8] = [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0]
        var texts: [[UInt8]] = [[]]
        for length in 1...4 {
            texts = texts.flatMap { text in (length == 1 ? Array(0x80...0xFF) : following).map { text + [$0] } }
            let misjudged = texts.filter { text in
                let isRead = (try? StrictJSON.validate([0x22] + text + [0x22])) != nil
                return isRead != (String(validating: text, as: UTF8.self) != nil)
            }
            #expect(misjudged == [])
        }
    }

    @Test(arguments: [
        "{}", "[]", "null", "-0.5e+10", #"{"a":[true,false,null,"x\n\u00e9\ud83d\ude00"]}"#, " [ 1 , 2 ] \n", "0",
    ])
    func `ordinary documents pass`(text: String) throws {
        try StrictJSON.validate(Array(text.utf8))
    }

    @Test func `a fault names its path and offset`() {
        let error = #expect(throws: StrictJSONError.self) {
            try StrictJSON.validate(Array(#"{"products":[{},{"price":1,"price":2}]}"#.utf8))
        }
        #expect(error?.path == "$.products[1].price")
        #expect(error?.reason == "occurs twice in the same object")
        #expect(error?.offset == 34)
    }

    @Test func `thirty-two levels pass and thirty-three do not`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        try StrictJSON.validate(nested(32))
        #expect(throws: StrictJSONError.self) { try StrictJSON.validate(nested(33)) }
    }

    @Test func `a parsed document keeps the text of its numbers`() throws {
        let value = try StrictJSON.parse(Array(#"{"rate":743722291.470198,"s":"a\tb","u":"\u00e9"}"#.utf8))
        #expect(value["rate"] == .number("743722291.470198"))
        #expect(value["s"]?.stringValue == "a\tb")
        #expect(value["u"]?.stringValue == "é")
    }
}
