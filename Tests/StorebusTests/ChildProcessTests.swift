import Foundation
import Glibc
import StorebusTesting
import Testing

@testable import Storebus

/// Real processes, of programs every system has.
@Suite struct ChildProcessTests {
    private func run(_ arguments: [String], _ environment: [String: String] = [:], log: String) async throws
        -> Termination
    {
        let (ends, end) = AsyncStream<Termination>.makeStream()
        _ = try ChildProcess.start(
            ChildProcess.Launch(executable: "/bin/sh", arguments: arguments, environment: environment, logFile: log)
        ) { _, termination in
            end.yield(termination)
        }
        for await termination in ends { return termination }
        throw CancellationError()
    }

    @Test func `a child gets its arguments and environment, and its words go to the log`() async throws {
        let directory = try TemporaryDirectory()
        let log = directory.file("child.log")
        let end = try await run(["-c", "echo $0 $WORD; echo bad >&2; exit 3", "one"], ["WORD": "two"], log: log)
        #expect(end == .exited(3))
        #expect(FileAccess.text(log) == "one two\nbad")
    }

    @Test func `a child that is killed is reported as a signal`() async throws {
        let directory = try TemporaryDirectory()
        #expect(try await run(["-c", "kill -9 $$"], log: directory.file("log")) == .signalled(9))
    }

    @Test func `a child has a process group of its own and inherits neither files nor ignored signals`() async throws {
        let directory = try TemporaryDirectory()
        let log = directory.file("child.log")
        signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, SIG_DFL) }
        let file = open("/dev/null", O_RDONLY)
        defer { close(file) }
        // Fields 5 of stat is the group; SigIgn is a mask of ignored signals, SIGINT its second bit.
        let script = """
            set -- $(cat /proc/$$/stat); echo "$1 $5"
            ls /proc/$$/fd | tr '\\n' ' '; echo
            grep SigIgn /proc/$$/status
            """
        #expect(try await run(["-c", script], ["PATH": "/usr/bin:/bin"], log: log) == .exited(0))
        let lines = try #require(FileAccess.text(log)).split(separator: "\n").map(String.init)
        let group = lines[0].split(separator: " ")
        #expect(group[0] == group[1])
        #expect(!lines[1].split(separator: " ").contains("\(file)"))
        let ignored = try #require(lines[2].split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
        #expect(ignored & (1 << 1) == 0)
    }

    /// The parent-death signal belongs to a thread; a pool's thread that ends must not take the child with it.
    @Test func `a child outlives the thread that asked for it`() async throws {
        let directory = try TemporaryDirectory()
        let log = directory.file("child.log")
        let go = directory.file("go")
        let launch = ChildProcess.Launch(
            executable: "/bin/sh", arguments: ["-c", "while [ ! -e \(go) ]; do sleep 0.01; done; echo alive"],
            environment: ["PATH": "/usr/bin:/bin"], logFile: log)
        let (ends, end) = AsyncStream<Termination>.makeStream()
        let thread = Thread {
            _ = try? ChildProcess.start(launch) { _, termination in end.yield(termination) }
        }
        thread.start()
        try await eventually("the thread ends") { thread.isFinished }
        try FileAccess.write([], to: go, mode: 0o600)
        for await termination in ends {
            #expect(termination == .exited(0))
            break
        }
        #expect(FileAccess.text(log) == "alive")
    }

    @Test func `a program that is not there is an error that names it`() throws {
        let directory = try TemporaryDirectory()
        let launch = ChildProcess.Launch(
            executable: "/nowhere/catalog", arguments: [], environment: [:], logFile: directory.file("log"))
        let failure = #expect(throws: ChildProcess.Failure.self) {
            try ChildProcess.start(launch) { _, _ in Issue.record("it never ran") }
        }
        #expect(failure?.reason == "/nowhere/catalog: No such file or directory")
    }
}
