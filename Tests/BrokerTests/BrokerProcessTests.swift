import StorebusTesting
import Testing

/// Goal: what comes and goes leaves nothing, seen from outside the process.
@Suite struct BrokerProcessTests {
    @Test @concurrent func `C33 ten thousand connections come and go, and descriptors and memory stay`() async throws {
        let broker = try await BrokerProcess.start()
        defer { broker.stop() }
        func visit(_ times: Int) throws {
            for _ in 0..<times {
                let client = try WireClient.signedIn(port: broker.port)
                try client.send(#"{"op":"sub","sid":1,"subject":"a.>","queue":"q","seq":1}"#)
                #expect(try client.log(1) == ["ok sub 1"])
            }
        }
        // The first two thousand fill what is kept on purpose: buffers, and the ring of closed connections.
        try visit(2000)
        let (descriptors, resident) = (broker.descriptors, broker.residentBytes)
        try visit(8000)
        try await eventually("the descriptors are back") { broker.descriptors <= descriptors }
        let growth = broker.residentBytes - resident
        #expect(growth < 4 << 20, "resident memory grew by \(growth) bytes over 8000 connections")
    }

    @Test @concurrent func `a broker with TLS is asked for its health over TLS, by its own certificate`() async throws {
        let authority = try TestAuthority()
        let identity = try authority.identity("broker", names: ["bus.example"])
        let flags = ["--tls-cert", identity.certificate, "--tls-key", identity.key]
        for more in [[], ["--tls-ca", authority.certificate]] {
            let broker = try await BrokerProcess.start(flags + more)
            defer { broker.stop() }
            let (status, text) = try await broker.health([
                "BUS_TLS_CERT": identity.certificate, "BUS_TLS_KEY": identity.key,
            ])
            #expect(status == 0 && text.contains("pass"), "\(text)")
            let (plain, reason) = try await broker.health([:])
            #expect(plain == 69 && reason.contains("this port speaks TLS"), "\(plain) \(reason)")
        }
    }
}
