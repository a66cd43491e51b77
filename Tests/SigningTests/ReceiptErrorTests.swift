import Signing
import Testing

@Suite struct ReceiptErrorTests {
    @Test func `the reasons are spelled as the API spells them`() {
        #expect(ReceiptError.allCases.map(\.rawValue) == ["malformed", "signature", "bundleId", "environment"])
    }
}
