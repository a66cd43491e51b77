/// Names of services, faults and workloads, as lists on the command line.
package enum NameList {
    /// A name that is not one of the known.
    package struct Unknown: Error, Equatable {
        package var name: String
        package var known: [String]
    }

    /// Splits `kill,pause` and checks each name. Repeated names count once.
    /// - Returns: The names in their order, or all known ones for nil or an empty text.
    /// - Throws: ``Unknown`` for the first name that is not known.
    package static func parse(_ text: String?, known: [String], usual: [String]? = nil) throws(Unknown) -> [String] {
        let words = (text ?? "").split(separator: ",").map { word in
            String(word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        guard !words.isEmpty else { return usual ?? known }
        var names: [String] = []
        for word in words {
            guard known.contains(word) else { throw Unknown(name: word, known: known) }
            if !names.contains(word) { names.append(word) }
        }
        return names
    }
}
