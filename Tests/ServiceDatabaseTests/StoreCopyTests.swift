import ServiceDatabase
import StoreModels
import Testing

/// Goal: a copy has the names of its own store, and everything else as it was.
@Suite struct StoreCopyTests {
    private static let request = CopyAppRequest(from: "com.example.app@t-7.42", to: "com.example.app@t-19.42")
    private static let identifier = "t_01k9p3s2rg0123456789abcdef"

    private func renamed(_ text: String, to number: Int = 19) throws -> String {
        try StoreCopy(CopyAppRequest(from: Self.request.from, to: "com.example.app@t-\(number).42")).renamed(text)
    }

    @Test func `the store's app becomes the copy's wherever it is`() throws {
        #expect(try renamed("com.example.app@t-7.42") == "com.example.app@t-19.42")
        #expect(
            try renamed(#"{"a":"com.example.app@t-7.42","b":["com.example.app@t-7.42"]}"#)
                == #"{"a":"com.example.app@t-19.42","b":["com.example.app@t-19.42"]}"#)
    }

    @Test func `an identifier keeps its beginning and gets another end, the same in every text`() throws {
        let copied = try renamed(Self.identifier)
        #expect(copied.utf8.count == Self.identifier.utf8.count)
        #expect(copied.hasPrefix(Self.identifier.dropLast(8)))
        #expect(copied != Self.identifier)
        #expect(try renamed("renew:\(Self.identifier):1") == "renew:\(copied):1")
        #expect(try renamed(#"{"id":"\#(Self.identifier)"}"#) == #"{"id":"\#(copied)"}"#)
        #expect(try renamed(Self.identifier, to: 20) != copied)
        // A download is named after its transaction.
        #expect(try renamed("d_" + Self.identifier.dropFirst(2)) == "d_" + copied.dropFirst(2))
        #expect(try renamed(copied) != copied, "a copy can be copied")
    }

    @Test(arguments: [
        "", "alice", "com.example.app", "com.example.app@t-7.421", "com.example.app@t-70.42", "x@t-7.42",
        "the_01k9p3s2rg0123456789abcdef", "e_01k9p3s2rg0123456789abcdef", "t_01k9p3s2rg0123456789abcde",
        "t_01k9p3s2rg0123456789abcdefg", "t_01K9P3S2RG0123456789ABCDEF", "xt_01k9p3s2rg0123456789abcdef",
        "t_01k9p3s2rg0123456789abcdef_x", "2000000004200001", "t_", "@t-7.42", "grün_é@",
    ])
    func `another text stays as it is`(text: String) throws {
        #expect(try renamed(text) == text)
    }

    @Test(arguments: [
        ("com.example.app", "com.example.app@t-9.42"), ("com.example.app@t-7.42", "com.example.app"),
        ("com.example.app@t-7.42", "com.example.app@t-9.43"), ("com.example.app@t-7.42", "com.example.other@t-9.42"),
        ("com.example.app@t-7.42", "com.example.app@t-7.42"),
    ])
    func `apps that are not two stores of one app and seed are refused`(from: String, to: String) throws {
        #expect(throws: StoreError.self) { try StoreCopy(CopyAppRequest(from: from, to: to)) }
    }
}
