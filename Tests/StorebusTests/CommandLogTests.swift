import Glibc
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

@Suite struct CommandLogTests {
    private func line(_ time: String, _ level: String, _ message: String) -> String {
        #"{"time":"2026-11-21T10:00:\#(time)Z","level":"\#(level)","service":"catalog","#
            + #""message":"\#(message)","port":"7"}"#
    }

    private func append(_ text: String, to path: String) throws {
        let file = try #require(fopen(path, "a"))
        fputs(text, file)
        fclose(file)
    }

    @Test func `a line is its time, level, service, message and fields`() {
        let parsed = LogLine(line("04.161", "info", "serving"), service: "catalog", before: "")
        #expect(parsed.text(.plain) == "10:00:04.161  info     catalog               serving  port=7\n")
        #expect(parsed.json["message"] == "serving")
        #expect(parsed.text(Style(isOn: true)) == parsed.text(.plain))
        let warning = LogLine(line("04.161", "warning", "slow"), service: "catalog", before: "")
        #expect(Coverage.withoutColours(warning.text(Style(isOn: true))) == warning.text(.plain))
        #expect(warning.text(Style(isOn: true)) != warning.text(.plain))
    }

    @Test func `what is no JSON is kept, at the time of the line before`() {
        let crash = LogLine("Fatal error: \u{1B}[31mno", service: "catalog", before: "2026-11-21T10:00:04.161Z")
        #expect(crash.level == "error")
        #expect(crash.text(.plain).hasPrefix("10:00:04.161  error"))
        #expect(!crash.text(.plain).contains("\u{1B}"))
    }

    @Test func `lines of several services stand in the order of their times, the graver ones only`() {
        let lines = [("05.000", "info"), ("04.000", "error"), ("04.000", "debug"), ("06.000", "warning")].map {
            LogLine(line($0, $1, "x"), service: "catalog", before: "")
        }
        #expect(LogLine.merge(lines, atLeast: "trace").map(\.level) == ["error", "debug", "info", "warning"])
        #expect(LogLine.merge(lines, atLeast: "warning").map(\.level) == ["error", "warning"])
    }

    @Test func `a log is read from its end, then as it grows, then anew when it was emptied`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("catalog.1.log")
        try append(line("01.000", "info", "one") + "\n" + line("02.000", "info", "two") + "\n", to: path)
        var follower = LogFollower(service: "catalog", path: path)
        #expect(follower.last(1).map(\.message) == ["two"])
        #expect(follower.new().isEmpty)
        let third = line("03.000", "info", "three")
        try append(String(third.prefix(20)), to: path)
        #expect(follower.new().isEmpty)
        try append(third.dropFirst(20) + "\n", to: path)
        #expect(follower.new().map(\.message) == ["three"])
        truncate(path, 0)
        try append(line("04.000", "info", "four") + "\n", to: path)
        #expect(follower.new().map(\.message) == ["four"])
    }

    @Test func `a large log is read from its last megabyte, without the half line there`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("catalog.1.log")
        let many = (0..<20_000).map { line("01.000", "info", "line \($0)") + "\n" }.joined()
        try FileAccess.write(Array(many.utf8), to: path, mode: 0o600)
        var follower = LogFollower(service: "catalog", path: path)
        let lines = follower.last(100_000)
        #expect(lines.count > 1000)
        #expect(lines.allSatisfy { $0.level == "info" })
        #expect(lines.last?.message == "line 19999")
    }

    @Test func `the command reads the logs of a directory, and names a service it does not know`() async throws {
        let project = try TemporaryDirectory()
        let directory = DataDirectory(project.file(".storebus"))
        try directory.prepare()
        try append(line("01.000", "info", "one") + "\n", to: directory.logFile("catalog"))
        try append(line("00.500", "error", "zero") + "\n", to: directory.logFile("gateway"))
        let (status, said) = await Recorder.run(["logs"], directory: project.path)
        #expect(status == .success)
        #expect(said.result.split(separator: "\n").map { $0.contains("zero") } == [true, false])
        let errors = await Recorder.run(["logs", "--level", "error", "-o", "jsonl"], directory: project.path).said
        #expect(errors.result.split(separator: "\n").count == 1)
        let one = await Recorder.run(["logs", "-n", "1", "catalog"], directory: project.path).said
        #expect(one.result.contains("one"))
        #expect(await Recorder.run(["logs", "--level", "loud"], directory: project.path).status == .usage)
        #expect(await Recorder.run(["logs"], directory: "/nowhere").status == .noSuchFile)
    }
}
