import BusProtocol
import Testing

/// Goal: the registry is the protocol page's section 7, and the limits fit each other.
@Suite struct RegistryTests {
    @Test func `codes, numbers and fatality are the page's`() {
        let page = """
            400 bad_frame! bad_header bad_member 401 auth_required! auth_failed! auth_timeout! 403 perm_pub perm_sub
            404 unknown_sid 408 stale! slow_consumer! 409 dup_sid protocol_state! replaced!
            413 header_too_large! body_too_large! 422 bad_subject bad_queue reserved 426 version! tls_required!
            429 too_many_subs too_many_conns! slow_drop 500 internal! 503 shutting_down!
            """
        var expected: [String: (num: Int, fatal: Bool)] = [:]
        var num = 0
        for word in page.split(whereSeparator: \.isWhitespace) {
            if let number = Int(word) {
                num = number
            } else {
                expected[word.filter { $0 != "!" }] = (num, word.hasSuffix("!"))
            }
        }
        #expect(Set(BusErrorCode.allCases.map(\.rawValue)) == Set(expected.keys))
        for code in BusErrorCode.allCases {
            #expect(code.num == expected[code.rawValue]?.num, "\(code)")
            #expect(code.isFatal == expected[code.rawValue]?.fatal, "\(code)")
        }
    }

    @Test func `limits fit each other`() {
        #expect(BusLimits.headerBytesMaxBeforeConnect <= BusLimits.headerBytesMax)
        #expect(BusLimits.headerBytesMax + BusLimits.deliveryHeaderSlackBytes < 1 << 24, "H has 24 bits")
        #expect(BusLimits.messageBytesMax < BusLimits.bodyBytesMax)
        #expect(BusLimits.subjectBytesMax * 2 + BusLimits.keyBytesMax < BusLimits.headerBytesMax)
        #expect(BusLimits.subjectTokensMax * 2 - 1 <= BusLimits.subjectBytesMax)
    }

    @Test func `headers keep order and replace by name`() {
        var headers: BusHeaders = ["b": "1", "a": "2"]
        headers["b"] = "3"
        headers["c"] = "4"
        headers["a"] = nil
        #expect(headers.map { "\($0.name)=\($0.value)" } == ["b=3", "c=4"])
        #expect(headers["B"] == nil, "names are compared byte for byte")
        #expect(headers == ["c": "4", "b": "3"])
    }
}
