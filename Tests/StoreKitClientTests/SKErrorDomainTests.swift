import StoreKitClient
import StoreModels
import Testing

@Suite struct SKErrorDomainTests {
    @Test func `the domain is the one the wire names`() {
        #expect(SKErrorDomain == TransactionError(.unknown, "").domain)
    }
}
