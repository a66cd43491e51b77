import Glibc
import StoreModels

/// What of the environment is wrong before any store is asked.
struct EnvironmentCheck {
    let settings: EffectiveSettings
    let environment: CommandEnvironment
    /// The program's own directory, where the services' executables should be.
    var executableDirectory = UpPlan.ownDirectory

    var findings: [Finding] { [variables, executables, clock] }

    private var variables: Finding {
        let misspelt = EffectiveSettings.misspeltVariables(environment.variables)
        guard misspelt.isEmpty else {
            return Finding("variables", .warn, misspelt.joined(separator: " "), remedy: "storebus config show")
        }
        return Finding("variables", .pass, "address from \(settings.url.origin)")
    }

    private var executables: Finding {
        let missing = ServiceRoster.services.filter { access("\(executableDirectory)/\($0)", X_OK) != 0 }
        if missing.count == ServiceRoster.services.count, StorePlace(settings, environment) != .here {
            return Finding("executables", .pass, "the command line alone; the store runs elsewhere")
        }
        guard missing.isEmpty else {
            // A command line alone can use a store that runs elsewhere.
            return Finding(
                "executables", .warn, "\(executableDirectory) has no \(missing.joined(separator: ", "))",
                remedy: "make build")
        }
        return Finding(
            "executables", .pass, "\(ServiceRoster.services.count) beside storebus, \(StorebusVersion.number)")
    }

    /// No program of this version has run before it was made.
    private static let earliest = Timestamp(milliseconds: 1_760_000_000_000)

    private var clock: Finding {
        let now = Timestamp.wallClock()
        guard now > Self.earliest else {
            return Finding(
                "clock", .fail, "it says \(Words.time(now)): subscriptions and sessions would end at wrong times",
                remedy: "set the machine's clock, and let it be kept: timedatectl set-ntp true")
        }
        return Finding("clock", .pass, Words.time(now))
    }
}
