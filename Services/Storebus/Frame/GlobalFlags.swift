/// The flags every command takes may stand before the command too: `storebus -o json tx list`. They are moved behind
/// it, where the parser knows them.
enum GlobalFlags {
    private static let withValue: Set = ["-o", "--output", "--url", "--data", "--timeout", "--color"]
    private static let alone: Set = ["-q", "--quiet", "-v", "-vv", "--verbose", "--yes"]

    static func moved(_ arguments: [String]) -> [String] {
        var flags: [String] = []
        var rest = arguments[...]
        while let first = rest.first {
            if withValue.contains(first), rest.count > 1 {
                flags += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if alone.contains(first) || withValue.contains(where: { first.hasPrefix("\($0)=") }) {
                flags.append(rest.removeFirst())
            } else {
                break
            }
        }
        guard !flags.isEmpty else { return arguments }
        let length = CommandTree.root.path(rest).count
        guard length > 0 else { return arguments }
        return Array(rest.prefix(length)) + flags + rest.dropFirst(length)
    }

    /// The format errors are printed in, even when the command line could not be understood.
    static func format(_ arguments: [String]) -> OutputFormat {
        value(["-o", "--output"], arguments).flatMap(OutputFormat.init(rawValue:)) ?? .human
    }

    static func color(_ arguments: [String]) -> ColorChoice {
        value(["--color"], arguments).flatMap(ColorChoice.init(rawValue:)) ?? .auto
    }

    /// How often `-v` is there.
    static func verbosity(_ arguments: [String]) -> Int {
        own(arguments).reduce(0) { count, argument in
            switch argument {
            case "-v", "--verbose": count + 1
            case "-vv": count + 2
            default: count
            }
        }
    }

    /// Those that are ours: behind `--` stands another program's command line.
    private static func own(_ arguments: [String]) -> ArraySlice<String> { arguments.prefix { $0 != "--" } }

    /// Every value of an option, in the order they were typed.
    static func values(_ name: String, _ arguments: [String]) -> [String] {
        let own = Array(own(arguments))
        return own.indices.compactMap { index in
            if own[index].hasPrefix("\(name)=") { return String(own[index].dropFirst(name.count + 1)) }
            return own[index] == name && index + 1 < own.count ? own[index + 1] : nil
        }
    }

    /// The first value of an option that has these names.
    static func value(_ names: [String], _ arguments: [String]) -> String? {
        let own = own(arguments)
        for (index, argument) in own.enumerated() {
            for name in names {
                if argument == name { return own.dropFirst(index + 1).first }
                if argument.hasPrefix("\(name)=") { return String(argument.dropFirst(name.count + 1)) }
                if name.count == 2, argument.hasPrefix(name), argument.count > 2 {
                    return String(argument.dropFirst(2))
                }
            }
        }
        return nil
    }
}
