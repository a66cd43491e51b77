import BusProtocol
import StorebusTesting
import Testing

@Suite struct ProtocolSubjectTests {
    @Test(arguments: [
        "a", "a.b", "sb.catalog.v1.products.get", "$SRV.PING", "_INBOX.a.1", "A-Z_9.$=:/@+~!%&#",
        "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p",
    ])
    func `legal subjects`(text: String) {
        #expect(throws: Never.self) { try Subject(text) }
        #expect(throws: Never.self) { try SubjectPattern(text) }
    }

    @Test(arguments: [
        "", ".", "a.", ".a", "a..b", "a b", "a\tb", "a\"b", "a\\b", "a,b", "a;b", "a(b", "a[b", "a{b", "a|b", "a^b",
        "a`b", "a?b",
        "a<b", "a'b", "ä", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q",
    ])
    func `illegal subjects and patterns`(text: String) {
        #expect(throws: BusViolation.self) { try Subject(text) }
        #expect(throws: BusViolation.self) { try SubjectPattern(text) }
    }

    @Test(arguments: ["*", ">", "a.*", "a.>", "*.*", "*.>", "a.*.b", "*.a.>"])
    func `legal patterns that are no subjects`(text: String) throws {
        #expect(try !SubjectPattern(text).isLiteral)
        #expect(throws: BusViolation.self) { try Subject(text) }
    }

    @Test(arguments: [">.a", "a.>.b", "a*", "*a", "a.b*", "a>", ">>", "**", "a.**", "*>"])
    func `illegal patterns`(text: String) {
        #expect(throws: BusViolation.self) { try SubjectPattern(text) }
    }

    @Test func `lengths are taken to the byte`() {
        #expect(throws: Never.self) { try Subject(String(repeating: "a", count: 255)) }
        #expect(throws: BusViolation.self) { try Subject(String(repeating: "a", count: 256)) }
        #expect(throws: Never.self) { try QueueName(String(repeating: "q", count: 64)) }
        #expect(throws: BusViolation.self) { try QueueName(String(repeating: "q", count: 65)) }
    }

    @Test(arguments: [
        ("a", "a", true), ("a", "b", false), ("*", "a", true), ("*", "a.b", false), (">", "a", true),
        (">", "a.b.c", true),
        ("a.>", "a", false), ("a.>", "a.b", true), ("a.*.c", "a.b.c", true), ("a.*.c", "a.b.d", false),
        ("a.*", "a.b.c", false), ("*.*", "a.b", true), ("a.b", "a.bc", false), ("a.bc", "a.b", false),
        (">", "_INBOX.x.1", false), ("*.x.1", "_INBOX.x.1", false), (">", "$SRV.PING", false),
        ("*.PING", "$SRV.PING", false),
        ("*", "_INBOXES", false), ("_INBOX.*.1", "_INBOX.x.1", true), ("$SRV.>", "$SRV.PING", true),
        ("*.$x", "a.$x", true),
    ])
    func `the wildcard table`(pattern: String, subject: String, matches: Bool) throws {
        #expect(try SubjectPattern(pattern).matches(Subject(subject)) == matches)
    }

    @Test func `matching agrees with a naive matcher`() throws {
        var random = SplitMix64.seeded()
        let tokens = ["a", "b", "ab", "$x", "_INBOX"]
        for _ in 0..<20_000 {
            let subject = (0..<Int.random(in: 1...4, using: &random)).map { _ in tokens.randomElement(using: &random)! }
            var pattern = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                (tokens + ["*", "*"]).randomElement(using: &random)!
            }
            if Bool.random(using: &random) { pattern.append(">") }
            let expected = naive(pattern[...], subject[...]) && !isHidden(pattern[0], subject[0])
            let text = (pattern.joined(separator: "."), subject.joined(separator: "."))
            #expect(try SubjectPattern(text.0).matches(Subject(text.1)) == expected, "\(text)")
        }
    }

    private func naive(_ pattern: ArraySlice<String>, _ subject: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return subject.isEmpty }
        if first == ">" { return !subject.isEmpty }
        guard let token = subject.first, first == "*" || first == token else { return false }
        return naive(pattern.dropFirst(), subject.dropFirst())
    }

    private func isHidden(_ pattern: String, _ subject: String) -> Bool {
        (pattern == "*" || pattern == ">") && (subject.hasPrefix("$") || subject.hasPrefix("_INBOX"))
    }
}
