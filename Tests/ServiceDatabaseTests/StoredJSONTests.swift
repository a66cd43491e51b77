import ServiceDatabase
import StoreModels
import Testing

@Suite struct StoredJSONTests {
    @Test func `what is written is read back`() throws {
        let payment = Payment(requestIdentifier: "key", productIdentifier: "coins", quantity: 3)
        #expect(try StoredJSON.value(Payment.self, try StoredJSON.text(payment)) == payment)
    }

    @Test(arguments: ["", "{", "{}", "[]", "null"])
    func `a damaged row is our fault and not the caller's`(_ text: String) {
        #expect {
            _ = try StoredJSON.value(Payment.self, text)
        } throws: { error in
            (error as? StoreError)?.code == .internal
        }
    }
}
