import EventLoop
import Logging
import Testing

@testable import Operations

/// Goal: one line per event, readable by machines or people.
@Suite struct LogHandlerTests {
    /// What a logger wrote.
    private final class Output: Sendable {
        let lines = Locked<[String]>([])
    }

    private func logger(_ format: LogFormat, _ output: Output, level: Logger.Level = .info) -> Logger {
        Logger(label: "test") { _ in
            StorebusLogHandler(service: "catalog", instance: "i-1", level: level, format: format) { line, _ in
                output.lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
            }
        }
    }

    @Test func `JSON has the fixed members first and the metadata in alphabetical order`() throws {
        let output = Output()
        var logger = logger(.json, output)
        logger[metadataKey: "requestIdentifier"] = "r\"1"
        logger.warning("not\nnow", metadata: ["code": "inFlight", "message": "ignored"])
        let line = try #require(output.lines.withLock { $0.first })
        #expect(line.hasSuffix("}\n"))
        #expect(line.filter { $0 == "\n" }.count == 1)
        let rest = line.drop { $0 != "," }
        #expect(
            rest
                == #","level":"warning","service":"catalog","instance":"i-1","message":"not\u000anow","#
                + #""code":"inFlight","requestIdentifier":"r\"1"}"# + "\n")
        #expect(line.hasPrefix(#"{"time":"20"#))
    }

    @Test func `text is one line, with any values`() throws {
        let output = Output()
        logger(.text, output).info("serving", metadata: ["path": "a\nb", "port": "7"])
        let line = try #require(output.lines.withLock { $0.first })
        #expect(line.dropFirst(13) == "info     catalog: serving path=a b port=7\n")
    }

    @Test func `events below the level are not written`() {
        let output = Output()
        let logger = logger(.text, output, level: .warning)
        logger.info("quiet")
        logger.error("loud", error: StartupError(.bug, "why"))
        #expect(output.lines.withLock { $0.count } == 1)
        #expect(output.lines.withLock { $0[0].contains("error=why") })
    }
}
