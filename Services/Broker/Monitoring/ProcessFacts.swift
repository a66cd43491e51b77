#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What monitoring says about the process rather than about the bus.
struct ProcessFacts {
    var host: String
    var port: Int
    /// Milliseconds since 1970.
    var startTime: Int
    var loopLagMicroseconds: Int

    /// Resident memory, from `/proc/self/statm`; 0 where there is none.
    var residentBytes: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
    }

    var cores: Int { ProcessInfo.processInfo.activeProcessorCount }
}
