import BusProtocol

/// The relations of two patterns, token by token. A subject is a pattern without wildcards.
///
/// In permissions wildcards have no exceptions: `>` includes `$SRV.PING`, although a subscription to `>` never gets it.
enum PatternRelation {
    /// Whether `outer` matches everything that `inner` matches.
    static func covers(_ outer: Span<UInt8>, _ inner: Span<UInt8>) -> Bool {
        walk(outer, inner) { outer, inner in
            if outer.isEqual(">") { return .yes }
            if inner.isEqual(">") { return .no }
            return outer.isEqual("*") || outer.isEqual(inner) ? nil : .no
        }
    }

    /// Whether both match some subject.
    static func overlap(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        walk(left, right) { left, right in
            if left.isEqual(">") || right.isEqual(">") { return .yes }
            return left.isEqual("*") || right.isEqual("*") || left.isEqual(right) ? nil : .no
        }
    }

    private enum Verdict { case yes, no }

    /// Compares tokens in pairs until one pair decides. Otherwise both patterns must have equally many.
    private static func walk(
        _ left: Span<UInt8>, _ right: Span<UInt8>, _ decide: (Span<UInt8>, Span<UInt8>) -> Verdict?
    ) -> Bool {
        var (l, r) = (0, 0)
        while true {
            let leftEnd = SubjectSyntax.tokenEnd(left, l)
            let rightEnd = SubjectSyntax.tokenEnd(right, r)
            if let verdict = decide(left.extracting(l..<leftEnd), right.extracting(r..<rightEnd)) {
                return verdict == .yes
            }
            if leftEnd == left.count || rightEnd == right.count {
                return leftEnd == left.count && rightEnd == right.count
            }
            l = leftEnd + 1
            r = rightEnd + 1
        }
    }
}
