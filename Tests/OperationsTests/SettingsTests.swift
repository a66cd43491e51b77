import Operations
import StorebusTesting
import Testing

/// Goal: flag, then environment, then file, then default; what is wrong is named with its source.
@Suite struct SettingsTests {
    private let file = Array(
        #"{"monitor":{"port":3},"queue":{"delayMaxSeconds":30,"on":true},"rate":0.5,"name":"file"}"#.utf8)

    private func settings(flags: [String: String] = [:], environment: [String: String] = [:]) throws -> Settings {
        try Settings(flags: flags, environment: environment, file: file, fileName: "settings.json")
    }

    @Test func `a flag wins over the environment, which wins over the file, which wins over the default`() throws {
        let all = try settings(flags: ["monitor.port": "1"], environment: ["MONITOR_PORT": "2"])
        #expect(try all.int("monitor.port", default: 4, in: 0...65535) == 1)
        let noFlag = try settings(environment: ["MONITOR_PORT": "2"])
        #expect(try noFlag.int("monitor.port", default: 4, in: 0...65535) == 2)
        let fileOnly = try settings()
        #expect(try fileOnly.int("monitor.port", default: 4, in: 0...65535) == 3)
        let nothing = try Settings(environment: [:])
        #expect(try nothing.int("monitor.port", default: 4, in: 0...65535) == 4)
        #expect(try nothing.int("monitor.port", in: 0...65535) == nil)
    }

    @Test func `camel case keys have upper case variables`() throws {
        let settings = try settings(environment: ["QUEUE_DELAY_MAX_SECONDS": "7", "BUS_CREDENTIALS_FILE": "/t"])
        #expect(try settings.int("queue.delayMaxSeconds", default: 1, in: 1...60) == 7)
        #expect(try settings.string("bus.credentialsFile") == "/t")
    }

    @Test func `every type can come from the environment and from the file`() throws {
        let file = try settings()
        #expect(try file.bool("queue.on", default: false))
        #expect(try file.double("rate", default: 0, in: 0...1) == 0.5)
        #expect(try file.string("name", default: "x") == "file")
        let environment = try settings(environment: ["QUEUE_ON": "false", "RATE": "0.25", "NAME": "env"])
        #expect(try !environment.bool("queue.on", default: true))
        #expect(try environment.double("rate", default: 0, in: 0...1) == 0.25)
        #expect(try environment.string("name", default: "x") == "env")
    }

    @Test func `a value out of range is named with its source and the range`() throws {
        let settings = try settings(environment: ["QUEUE_DELAY_MAX_SECONDS": "61"])
        let error = #expect(throws: StartupError.self) {
            try settings.int("queue.delayMaxSeconds", default: 1, in: 1...60)
        }
        #expect(error?.exit == .badConfiguration)
        #expect(error?.message == "queue.delayMaxSeconds is 61 (from environment); it must be 1 to 60")
    }

    @Test func `a value of the wrong type is named with its source`() throws {
        let settings = try settings(flags: ["monitor.port": "many"])
        let error = #expect(throws: StartupError.self) { try settings.int("monitor.port", in: 0...1) }
        #expect(error?.message == "monitor.port (from flag) must be a whole number")
        let inFile = #expect(throws: StartupError.self) { try settings.int("name", in: 0...1) }
        #expect(inFile?.message == "name (from settings.json) must be a whole number")
    }

    private enum Color: String, CaseIterable { case red, green }

    @Test func `a word must be one of the words`() throws {
        let settings = try settings(environment: ["COLOR": "blue"])
        let error = #expect(throws: StartupError.self) { try settings.choice("color", default: Color.red) }
        #expect(error?.message == "color is 'blue' (from environment); it must be one of red, green")
        #expect(try settings.choice("other", default: Color.green) == .green)
    }

    @Test func `a file that is no object is refused`() {
        let error = #expect(throws: StartupError.self) {
            try Settings(environment: [:], file: Array("[1]".utf8), fileName: "settings.json")
        }
        #expect(error?.exit == .badConfiguration)
        #expect(error?.message.hasPrefix("settings.json is not a JSON object") == true)
    }

    @Test func `a whole number in the file is a number, and a nested member is a dotted key`() throws {
        let file = Array(#"{"queue":{"delayMaxSeconds":5,"isFair":true,"share":0.5}}"#.utf8)
        let settings = try Settings(environment: [:], file: file, fileName: "settings.json")
        #expect(try settings.double("queue.delayMaxSeconds", default: 1, in: 0...9) == 5)
        #expect(try settings.double("queue.share", default: 1, in: 0...9) == 0.5)
        #expect(try settings.bool("queue.isFair", default: false))
        #expect(try settings.int("queue.other", default: 3, in: 0...9) == 3)
        let error = #expect(throws: StartupError.self) { try settings.int("queue.share", in: 0...9) }
        #expect(error?.message == "queue.share (from settings.json) must be a whole number")
    }

    @Test func `what was read is remembered with its source, and secrets are hidden`() throws {
        let settings = try settings(environment: ["TOKEN": "s3cret", "NAME": "n"])
        _ = try settings.string("token", isSecret: true)
        _ = try settings.string("name")
        _ = try settings.int("other", default: 9, in: 0...9)
        #expect(
            settings.effective == ["token": "hidden (environment)", "name": "n (environment)", "other": "9 (default)"])
    }
}
