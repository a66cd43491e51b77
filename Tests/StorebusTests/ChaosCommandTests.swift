import Chaos
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// What `storebus chaos` refuses before it starts anything, and how it prints a matrix.
@Suite struct ChaosCommandTests {
    @Test(arguments: [
        (["--faults", "kil"], "there is no fault 'kil'", "did you mean 'kill'?"),
        (["--faults", "meteor"], "there is no fault 'meteor'", "kill, pause, restart, drop"),
        (["--target", "payments"], "there is no service 'payments'", "broker, catalog, payment-queue"),
        (["--workload", "mixed"], "there is no workload 'mixed'", "mix, purchases, subscriptions"),
        (["--seed", "seven"], "--seed is a whole number", "not 'seven'"),
        (["--target", "catalog", "--faults", "slow-processor"], "hits payment-processor only", "add it to --target"),
        (["--data", "/nowhere/store"], "no store runs on /nowhere/store", "STOREBUS_CHAOS=1 storebus up"),
    ])
    func `unknown words are refused with what there is`(
        arguments: [String], message: String, remedy: String
    ) async throws {
        let directory = try TemporaryDirectory()
        let (status, said) = await Recorder.run(
            ["chaos", "run", "--out", directory.file("out"), "-q"] + arguments, directory: directory.path)
        #expect(status == (arguments[0] == "--data" ? .unreachable : .usage))
        #expect(said.narration.contains(message), "\(said.narration)")
        #expect(said.narration.contains(remedy), "\(said.narration)")
    }

    @Test(arguments: [
        (["--driver", "podman"], "--driver is one of process, compose"),
        (["--project", "shop"], "--project is of --driver compose"),
        (["--driver", "compose", "--data", "x"], "are of storebus up, not of --driver compose"),
        (["--driver", "compose", "--replicas", "catalog=2"], "are of storebus up, not of --driver compose"),
        (["--driver", "compose"], "--driver compose needs docker, which is not in PATH"),
    ])
    func `a driver that does not fit is refused`(arguments: [String], message: String) async throws {
        for command in ["run", "matrix"] {
            let (status, said) = await Recorder.run(["chaos", command, "-q"] + arguments)
            #expect(status == .usage)
            #expect(said.narration.contains(message), "\(said.narration)")
        }
    }

    @Test func `faults of the bus hit what is on it, of a compose project too`() throws {
        let services = ["catalog", "postgres", "door", "nats-1"]
        #expect(FaultName.partition.targets(services) == ["catalog"])
        #expect(FaultName.kill.targets(services) == services)
        var plan = ChaosPlan(
            seed: 1, duration: .seconds(3), targets: ["postgres"], faults: [.drop], workload: .mix, directory: "/x",
            name: "n", driver: .compose)
        let error = #expect(throws: CLIError.self) { try plan.checkSchedule(isChosen: true) }
        #expect(error?.message.contains("'drop' hits broker, catalog") == true)
        plan.faults = [.kill]
        try plan.checkSchedule(isChosen: true)
    }

    @Test func `a seed and lists make a plan`() throws {
        #expect(try ChaosPlan.seed("7") == 7)
        #expect(try ChaosPlan.faults("pause,kill") == [.pause, .kill])
        #expect(try ChaosPlan.faults(nil) == FaultName.usual)
        #expect(try ChaosPlan.targets(nil, of: ["a", "b"]) == ["a", "b"])
        #expect(ChaosPlan.newName().utf8.count == 8)
    }

    @Test func `a matrix is a table, JSON and Markdown`() {
        let row = ChaosMatrixRow(
            service: "catalog", fault: "kill", verdict: "valid", isGood: true, recovery: 1_249, availability: 0.9949,
            operations: 410)
        let result = ChaosMatrixRow.result([row])
        #expect(result.text(.plain).contains("catalog  kill   valid    1.2 s           99.4 %        410"))
        #expect(result.data.arrayValue?.first?["worstRecoveryMilliseconds"]?.intValue == 1_249)
        #expect(ChaosMatrixRow.markdown([row]).contains("| catalog | kill | valid | 1.2 s | 99.4 % | 410 |\n"))
    }

    @Test func `a response of an unknown outcome is info, a rejection is fail`() {
        #expect(ChaosClient.kind(ofStatus: 503, nil) == .info)
        #expect(ChaosClient.kind(ofStatus: 409, "inFlight") == .info)
        #expect(ChaosClient.kind(ofStatus: 422, "requestInvalid") == .fail)
    }
}
