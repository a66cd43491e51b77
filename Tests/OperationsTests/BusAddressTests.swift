import StorebusTesting
import Testing

@testable import Operations

@Suite struct BusAddressTests {
    private func address(_ environment: [String: String]) throws -> String {
        "\(try BusClientService.address(try Settings(environment: environment)))"
    }

    @Test func `the files for TLS are read before the process starts, when the bus has TLS`() throws {
        for url in ["tls://bus.example", "nats+tls://a,b"] {
            let error = #expect(throws: StartupError.self) {
                try address(["BUS_URL": url, "BUS_TLS_CA": "/nowhere/ca.pem"])
            }
            #expect(error?.exit == .badConfiguration)
            #expect(error?.message.contains("/nowhere/ca.pem, does not exist; BUS_TLS_CA names it") == true)
        }
        #expect(try address(["BUS_URL": "storebus://h", "BUS_TLS_CA": "/nowhere/ca.pem"]) == "storebus://h:7420")
        let authority = try TestAuthority()
        #expect(try address(["BUS_URL": "tls://h", "BUS_TLS_CA": authority.certificate]) == "tls://h:7420")
    }
}
