import ArgumentParser
import BusClient
import Testing

@testable import Operations

@Suite struct StartupErrorTests {
    @Test(arguments: [
        (BusError.Code.authenticationFailed, ProcessExit.notAllowed), (.replaced, .temporary),
        (.invalidURL, .badConfiguration), (.permissionDenied, .notAllowed), (.disconnected, .unavailable),
    ])
    func `what ends the bus ends the process with the code that says why`(code: BusError.Code, exit: ProcessExit) {
        #expect(StartupError(BusError(code, "why")).exit == exit)
        #expect(StartupError(BusError(code, "why")).message.contains("why"))
    }

    @Test func `an unforeseen error is a bug`() {
        struct Odd: Error {}
        #expect(StartupError(Odd()).exit == .bug)
        #expect(StartupError(StartupError(.locked, "held")) == StartupError(.locked, "held"))
    }

    @Test func `flags are parsed into settings`() throws {
        let options = try ServiceOptions.parse([
            "--host", "::1", "--port", "1", "--monitor-port", "2", "--data", "d", "--log-level", "debug",
            "--ready-file", "r", "--config", "c",
        ])
        #expect(
            options.settings == [
                "listen.host": "::1", "listen.port": "1", "monitor.port": "2", "data.directory": "d",
                "log.level": "debug", "ready.file": "r",
            ])
        #expect(options.config == "c")
        #expect(try ServiceOptions.parse([]).settings.isEmpty)
    }
}
