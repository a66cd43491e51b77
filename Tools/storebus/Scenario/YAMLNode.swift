import CYAML
import StoreModels

/// A node of a YAML document, with its line. libyaml reads it. Tags have no meaning here.
struct YAMLNode: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        /// Without quotation marks a text may also be a number, true, false or null.
        case scalar(String, isPlain: Bool)
        case list([YAMLNode])
        /// In the document's order. No two have the same name.
        case mapping([Member])
    }

    struct Member: Hashable, Sendable {
        @ExactText var name: String
        /// The line of the name.
        var line: Int
        var value: YAMLNode
    }

    var content: Content
    /// From 1.
    var line: Int

    /// The text of a scalar. Nil for other nodes.
    var text: String? { if case .scalar(let text, _) = content { text } else { nil } }

    /// The members of a mapping. Nil for other nodes.
    var members: [Member]? { if case .mapping(let members) = content { members } else { nil } }

    /// The entries of a list. Nil for other nodes.
    var entries: [YAMLNode]? { if case .list(let entries) = content { entries } else { nil } }

    /// The node's kind, for an error.
    var kind: String {
        switch content {
        case .scalar: "a text"
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Reads a document.
    /// - Throws: The first fault: of the syntax, an alias, a second name, or a second document.
    static func parse(_ bytes: [UInt8]) throws(YAMLFault) -> YAMLNode {
        let result = bytes.withUnsafeBufferPointer { bytes in
            Result { () throws(YAMLFault) in
                let reader = YAMLReader(bytes)
                return try reader.document()
            }
        }
        return try result.get()
    }
}

/// A fault of a YAML document at a line.
struct YAMLFault: Error, Hashable, Sendable {
    /// From 1.
    var line: Int
    var reason: String
}

/// Reads nodes from libyaml's events. It lives no longer than the bytes.
private final class YAMLReader {
    private enum Event {
        case scalar(String, isPlain: Bool)
        case listBegins, listEnds, mappingBegins, mappingEnds, alias, documentBegins, streamEnds, other
    }

    private static let depthMax = 32

    /// libyaml keeps pointers into the parser itself, so it needs a place that stays.
    private let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    /// The line of the last event.
    private var line = 1

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        precondition(yaml_parser_initialize(parser) == 1, "no memory")
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    func document() throws(YAMLFault) -> YAMLNode {
        var event = try next()
        while case .other = event { event = try next() }
        guard case .documentBegins = event else { throw fault("the file is empty") }
        let root = try node(try next(), depth: 0)
        while true {
            switch try next() {
            case .streamEnds: return root
            case .other: continue
            default: throw fault("a second document begins here; write it into a file of its own")
            }
        }
    }

    private func node(_ event: Event, depth: Int) throws(YAMLFault) -> YAMLNode {
        guard depth < Self.depthMax else { throw fault("more than \(Self.depthMax) levels are within each other") }
        let start = line
        switch event {
        case .scalar(let text, let isPlain):
            return YAMLNode(content: .scalar(text, isPlain: isPlain), line: start)
        case .listBegins:
            var entries: [YAMLNode] = []
            while true {
                let event = try next()
                if case .listEnds = event { return YAMLNode(content: .list(entries), line: start) }
                entries.append(try node(event, depth: depth + 1))
            }
        case .mappingBegins:
            var members: [YAMLNode.Member] = []
            while true {
                let event = try next()
                if case .mappingEnds = event { return YAMLNode(content: .mapping(members), line: start) }
                guard case .scalar(let name, _) = event else { throw fault("a name is a text") }
                let line = line
                guard !members.contains(where: { $0.name.isExactly(name) }) else {
                    throw fault("'\(name)' is there twice")
                }
                members.append(
                    YAMLNode.Member(name: name, line: line, value: try node(try next(), depth: depth + 1)))
            }
        case .alias: throw fault("aliases (*name) are not read here; write the value again")
        default: throw fault("the document ends too early")
        }
    }

    private func next() throws(YAMLFault) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else {
            line = Int(parser.pointee.problem_mark.line) + 1
            throw fault(parser.pointee.problem.map { String(cString: $0) } ?? "this is not YAML")
        }
        defer { yaml_event_delete(&event) }
        line = Int(event.start_mark.line) + 1
        switch event.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            return .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT: return .listBegins
        case YAML_SEQUENCE_END_EVENT: return .listEnds
        case YAML_MAPPING_START_EVENT: return .mappingBegins
        case YAML_MAPPING_END_EVENT: return .mappingEnds
        case YAML_ALIAS_EVENT: return .alias
        case YAML_DOCUMENT_START_EVENT: return .documentBegins
        case YAML_STREAM_END_EVENT: return .streamEnds
        default: return .other
        }
    }

    private func fault(_ reason: String) -> YAMLFault { YAMLFault(line: line, reason: reason) }
}
