/// A step of a coding path: a member's name or an element's position.
struct TapeKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "\(intValue)"
        self.intValue = intValue
    }

    /// The steps from the document to one of its values. Looks through the tape from its start, so it is for errors.
    static func path(to target: Int, in tape: JSONTape) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var node = 0
        while node < target, let step = step(towards: target, from: node, in: tape) {
            path.append(step.key)
            node = step.node
        }
        return path
    }

    private static func step(towards target: Int, from node: Int, in tape: JSONTape) -> (key: TapeKey, node: Int)? {
        let isObject = tape.kind(node) == .object
        var child = tape.first(in: node)
        var position = 0
        while child < tape.end(of: node) {
            let value = isObject ? child + 1 : child
            if target < tape.end(of: value) {
                return (isObject ? TapeKey(stringValue: tape.string(child)) : TapeKey(intValue: position), value)
            }
            child = tape.end(of: value)
            position += 1
        }
        return nil
    }
}
