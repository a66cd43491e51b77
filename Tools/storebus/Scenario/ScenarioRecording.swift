import Glibc
import StoreModels

/// Commands that become a scenario, in a file of the data directory: a line for the beginning, and one for each command.
struct ScenarioRecording: Hashable, Sendable {
    struct Beginning: Hashable, Sendable, Codable {
        /// Absolute path of the scenario.
        var file: String
        var bundleId: String
        /// The isolated store whose commands are recorded. Nil for the installation's own.
        var store: String?
        /// The app's clock.
        var clock: Timestamp
    }

    struct Step: Hashable, Sendable, Codable {
        /// The words behind `storebus`.
        var words: [String]
        /// The identifiers that it printed.
        var names: [String]
        var hasFailed: Bool
    }

    var beginning: Beginning
    var steps: [Step]

    var file: String { beginning.file }

    /// Begins to record the commands of a store.
    /// - Throws: `usage` while another recording goes on.
    static func begin(_ beginning: Beginning, in directory: DataDirectory) throws(CLIError) {
        if let other = try read(directory) {
            throw CLIError(
                .usage, "commands are recorded into \(other.file) already",
                hints: ["end it: storebus scenario record --end"])
        }
        let line = JSONText.line(JSONText.value(beginning)) + "\n"
        try FileAccess.write(Array(line.utf8), to: directory.recording, mode: 0o600)
        try ScenarioRecording(beginning: beginning, steps: []).write()
    }

    /// Writes the scenario a last time, and ends the recording.
    /// - Throws: `usage` if none runs.
    static func end(in directory: DataDirectory) throws(CLIError) -> ScenarioRecording {
        guard let recording = try read(directory) else {
            throw CLIError(.usage, "nothing is recorded", hints: ["begin: storebus scenario record FILE"])
        }
        try recording.write()
        FileAccess.remove(directory.recording)
        return recording
    }

    /// Adds a command that has ended to the recording of its store, if there is one.
    /// - Parameter arguments: The words behind `storebus`.
    /// - Throws: For a scenario that cannot be written.
    static func add(
        _ arguments: [String], names: [String], status: Int32, _ environment: CommandEnvironment
    ) throws(CLIError) {
        let path = CommandTree.root.path(arguments)
        guard let type = StorebusCommand.type(of: path), !(type is any ReadingCommand.Type),
            !(type is any TerminalCommand.Type), Scenario.isOfOneStore(path, type),
            [CLIExit.success, .purchaseDeferred, .purchaseFailed].contains(where: { $0.rawValue == status }),
            let settings = try? EffectiveSettings.find(
                url: GlobalFlags.value(["--url"], arguments), data: GlobalFlags.value(["--data"], arguments),
                store: GlobalFlags.value(["--store"], arguments), environment),
            let directory = settings.directory, let recording = try read(directory),
            recording.beginning.store.isExactly(settings.store?.text)
        else { return }
        let step = Step(
            words: GlobalFlags.removed(arguments), names: names,
            hasFailed: status == CLIExit.purchaseFailed.rawValue)
        // One write of a line behind the others: two commands may end at once.
        let descriptor = open(directory.recording, O_WRONLY | O_APPEND | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = FileAccess.writeAll(Array((JSONText.line(JSONText.value(step)) + "\n").utf8), to: descriptor)
        try read(directory)?.write()
    }

    private static let byteCountMax = 64 * 1024 * 1024

    /// - Returns: Nil while nothing is recorded.
    private static func read(_ directory: DataDirectory) throws(CLIError) -> ScenarioRecording? {
        guard FileAccess.exists(directory.recording) else { return nil }
        let bytes = try FileAccess.read(directory.recording, byteCountMax: byteCountMax)
        let text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n").map { Array($0.utf8) }
        guard let first = lines.first, let beginning = try? StoreJSON.decode(Beginning.self, from: first) else {
            return nil
        }
        return ScenarioRecording(
            beginning: beginning, steps: lines.dropFirst().compactMap { try? StoreJSON.decode(Step.self, from: $0) })
    }

    private func write() throws(CLIError) {
        try FileAccess.write(Array(yaml.utf8), to: file, mode: 0o644)
    }

    /// The scenario. A step whose identifier a later one has saves it.
    var yaml: String {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let ending = Scenario.endings.first { name.hasSuffix($0) } ?? ""
        var text = "scenario: \(Self.quoted(String(name.dropLast(ending.count))))\n"
        text +=
            "store: { bundle-id: \(beginning.bundleId), clock: \(JSONText.line(JSONText.value(beginning.clock))), seed: 1 }\n"
        text += steps.isEmpty ? "steps: []\n" : "steps:\n"
        var variables: [ExactText: String] = [:]
        for (index, step) in steps.enumerated() {
            let words = step.words.map { word in
                variables[ExactText(word)].map { "${\($0)}" } ?? Self.typed(word)
            }
            let line = Self.quoted("storebus " + words.joined(separator: " "))
            let isUsed = step.names.first.map { name in
                variables[ExactText(name)] == nil && steps[(index + 1)...].contains { $0.words.containsExactly(name) }
            }
            guard isUsed == true || step.hasFailed else {
                text += "  - \(line)\n"
                continue
            }
            text += "  - run: \(line)\n"
            if step.hasFailed { text += "    fails: true\n" }
            if isUsed == true, let name = step.names.first {
                variables[ExactText(name)] = "s\(index + 1)"
                text += "    save: s\(index + 1)\n"
            }
        }
        return text
    }

    /// A word as a step has it: between quotation marks, and never a variable.
    private static func typed(_ word: String) -> String {
        let text = word.replacing("${", with: "$${")
        return ShellWord.isPlain(text) ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }

    /// A text as a YAML scalar, in quotation marks where it needs them.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.first.map { $0.isASCII && $0.isLetter } == true && text.last != " "
            && text.last != ":" && !text.contains(": ") && !text.contains(" #")
            && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        guard !isPlain else { return text }
        // JSON's strings are YAML's.
        return JSONText.line(.string(text))
    }
}
