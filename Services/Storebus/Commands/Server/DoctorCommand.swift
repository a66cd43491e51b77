import ArgumentParser
import StoreModels

/// `storebus doctor`
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Look for what is wrong, and say what to do about it.",
        discussion: """
            storebus doctor
            storebus doctor -o json

            Looks at the environment, the data directory, disk and clock, the executables, the ports of a store that \
            does not run, the services of one that does, and the PostgreSQL of DATABASE_URL when it is set. Exits with 1 when something has to be mended.
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let environment = CommandEnvironment.current
        let settings = EffectiveSettings.find(url: global.url, data: global.data, environment)
        var findings = EnvironmentCheck(settings: settings, environment: environment).findings
        var store: (findings: [Finding], isAnswered: Bool)?
        if let context = try? CommandContext.find(global) { store = await StoreCheck(context: context).findings() }
        if global.url == nil, environment.variables["STOREBUS_URL"] == nil {
            let directory = try DataDirectory.choose(global, environment)
            findings += DirectoryCheck(directory: directory).findings
            // A store that was started by hand holds the ports, and that is as it should be.
            if DirectoryLock.holder(directory) == nil, store?.isAnswered != true { findings += PortCheck.findings }
        }
        findings += await DatabaseCheck(environment: environment).findings()
        findings += store?.findings ?? []
        let isHealthy = !findings.contains { $0.status == .fail }
        global.output.print(Finding.answer(findings))
        if !isHealthy { throw QuietExit(status: CLIErrorCode.unhealthy.status) }
    }
}
