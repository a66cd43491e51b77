import Configuration
import EventLoop
import FoundationEssentials
import StoreModels

/// The settings of a process. A value comes from a flag, else the environment, the JSON file, or the reader's default.
///
/// A key is dotted, `queue.redelivery.delayMaxSeconds`. In the environment it is `QUEUE_REDELIVERY_DELAY_MAX_SECONDS`,
/// in the file `{"queue":{"redelivery":{"delayMaxSeconds":5}}}`. Values that were read are remembered and logged once
/// at the start, secrets hidden. A value of the wrong type or out of range stops the start with exit code 78 and is
/// named with its source.
package final class Settings: Sendable {
    /// Where a value may come from, in order of precedence.
    private struct Source: Sendable {
        let name: String
        let snapshot: any ConfigSnapshot
    }

    /// A value that was read, for the log.
    struct Effective: Sendable {
        let value: String
        let source: String
    }

    private let sources: [Source]
    private let read = Locked<[String: Effective]>([:])

    /// - Parameters:
    ///   - flags: Values by dotted key.
    ///   - environment: Values by variable.
    ///   - file: Contents of the `--config` file.
    ///   - fileName: Its name, for messages.
    /// - Throws: `badConfiguration` when the file is not a JSON object.
    package init(
        flags: [String: String] = [:], environment: [String: String], file: [UInt8]? = nil, fileName: String = ""
    ) throws(StartupError) {
        // Flags speak the environment's language, so one decoder serves both and a flag may carry any type.
        let flagVariables = Dictionary(uniqueKeysWithValues: flags.map { (Self.variable(for: $0.key), $0.value) })
        var sources = [
            Source(
                name: "flag", snapshot: EnvironmentVariablesProvider(environmentVariables: flagVariables).snapshot()),
            Source(
                name: "environment",
                snapshot: EnvironmentVariablesProvider(environmentVariables: environment).snapshot()
            ),
        ]
        if let file {
            sources.append(Source(name: fileName, snapshot: try SettingsFile(file, name: fileName)))
        }
        self.sources = sources
    }

    /// The settings of this process.
    /// - Parameter flags: Values by dotted key, from flags that not every executable has.
    /// - Throws: `badConfiguration` when the `--config` file cannot be read.
    package convenience init(options: ServiceOptions, flags: [String: String] = [:]) throws(StartupError) {
        var file: [UInt8]?
        if let path = options.config {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw StartupError(.badConfiguration, "the file of --config, \(path), cannot be read")
            }
            file = Array(data)
        }
        try self.init(
            flags: options.settings.merging(flags) { $1 }, environment: ProcessInfo.processInfo.environment, file: file,
            fileName: options.config ?? "")
    }

    /// A text, or nil when every source lacks it.
    package func string(_ key: String, isSecret: Bool = false) throws(StartupError) -> String? {
        try value(key, .string, "a text", isSecret: isSecret) {
            if case .string(let text) = $0 { text } else { nil }
        }
    }

    /// A text with a default.
    package func string(_ key: String, default fallback: String) throws(StartupError) -> String {
        defaulted(key, try string(key), fallback)
    }

    /// An integer in a range, or nil when every source lacks it.
    package func int(_ key: String, in range: ClosedRange<Int>) throws(StartupError) -> Int? {
        let value: Int? = try value(key, .int, "a whole number") {
            if case .int(let number) = $0 { number } else { nil }
        }
        return try checked(key, value, in: range)
    }

    /// An integer with a default, in a range.
    package func int(_ key: String, default fallback: Int, in range: ClosedRange<Int>) throws(StartupError) -> Int {
        defaulted(key, try int(key, in: range), fallback)
    }

    /// A number with a default, in a range.
    package func double(
        _ key: String, default fallback: Double, in range: ClosedRange<Double>
    ) throws(StartupError) -> Double {
        let value: Double? = try value(key, .double, "a number") {
            if case .double(let number) = $0 { number } else { nil }
        }
        return defaulted(key, try checked(key, value, in: range), fallback)
    }

    /// Yes or no, with a default.
    package func bool(_ key: String, default fallback: Bool) throws(StartupError) -> Bool {
        let value: Bool? = try value(key, .bool, "true or false") { if case .bool(let flag) = $0 { flag } else { nil } }
        return defaulted(key, value, fallback)
    }

    /// One of the given words, with a default.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, default fallback: Choice
    ) throws(StartupError) -> Choice {
        let text = try string(key, default: fallback.rawValue)
        guard let choice = Choice(rawValue: text) else {
            let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw StartupError(
                .badConfiguration, "\(key) is '\(text)' (from \(source(of: key))); it must be one of \(words)")
        }
        return choice
    }

    /// Every value that was read so far, `bus.url` → `storebus://127.0.0.1:7420 (default)`. Secrets are `hidden`.
    package var effective: [String: String] {
        read.withLock { $0.mapValues { "\($0.value) (\($0.source))" } }
    }

    private func value<Value>(
        _ key: String, _ type: ConfigType, _ expected: String, isSecret: Bool = false,
        _ unwrap: (ConfigContent) -> Value?
    ) throws(StartupError) -> Value? {
        let path = AbsoluteConfigKey(key.split(separator: ".").map(String.init), context: [:])
        for source in sources {
            let found: ConfigValue?
            do {
                found = try source.snapshot.value(forKey: path, type: type).value
            } catch {
                throw StartupError(.badConfiguration, "\(key) (from \(source.name)) must be \(expected)")
            }
            guard let found else { continue }
            guard let value = unwrap(found.content) else {
                throw StartupError(.badConfiguration, "\(key) (from \(source.name)) must be \(expected)")
            }
            note(key, isSecret ? "hidden" : "\(value)", source.name)
            return value
        }
        return nil
    }

    private func defaulted<Value>(_ key: String, _ value: Value?, _ fallback: Value) -> Value {
        if let value { return value }
        note(key, "\(fallback)", "default")
        return fallback
    }

    private func checked<Number: Comparable>(
        _ key: String, _ value: Number?, in range: ClosedRange<Number>
    ) throws(StartupError) -> Number? {
        guard let value, !range.contains(value) else { return value }
        throw StartupError(
            .badConfiguration,
            "\(key) is \(value) (from \(source(of: key))); it must be \(range.lowerBound) to \(range.upperBound)")
    }

    private func note(_ key: String, _ value: String, _ source: String) {
        read.withLock { $0[key] = Effective(value: value, source: source) }
    }

    private func source(of key: String) -> String { read.withLock { $0[key]?.source ?? "default" } }

    /// `queue.delayMaxSeconds` → `QUEUE_DELAY_MAX_SECONDS`.
    static func variable(for key: String) -> String {
        var name = ""
        for character in key {
            if character == "." {
                name.append("_")
            } else {
                if character.isUppercase, name.last?.isLetter == true || name.last?.isNumber == true {
                    name.append("_")
                }
                name.append(character.uppercased())
            }
        }
        return name
    }
}

/// The values of a `--config` file. The members of a key's value are nested in each other.
private struct SettingsFile: ConfigSnapshot {
    let providerName: String
    private let object: JSONValue

    /// - Throws: `badConfiguration` when the file is not a JSON object.
    init(_ bytes: [UInt8], name: String) throws(StartupError) {
        providerName = name
        do {
            object = try StoreJSON.decode(JSONValue.self, from: bytes)
        } catch {
            throw StartupError(.badConfiguration, "\(name) is not a JSON object of settings: \(error)")
        }
        guard case .object = object else {
            throw StartupError(.badConfiguration, "\(name) is not a JSON object of settings")
        }
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        var found: JSONValue? = object
        for member in key.components { found = found?[member] }
        let value = try found.map { ConfigValue(try content($0, key, type), isSecret: false) }
        return LookupResult(encodedKey: key.description, value: value)
    }

    private func content(_ value: JSONValue, _ key: AbsoluteConfigKey, _ type: ConfigType) throws -> ConfigContent {
        let content: ConfigContent? =
            switch (type, value) {
            case (.string, .string(let text)): .string(text)
            case (.bool, .bool(let flag)): .bool(flag)
            case (.int, .number(let text)): Int(text).map { .int($0) }
            case (.double, .number(let text)): Double(text).map { .double($0) }
            default: nil
            }
        guard let content else { throw StartupError(.badConfiguration, "\(key) has another type") }
        return content
    }
}
