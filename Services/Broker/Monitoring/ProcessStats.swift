import EventLoop
import FoundationEssentials
import Glibc

/// The monitoring data of the process, as opposed to the bus.
struct ProcessStats {
    var host: String
    var port: Int
    /// The start time, in milliseconds since 1970.
    var startTime: Int
    var loopLagMicroseconds: Int
    /// The files for TLS. Nil on a plain port.
    var tls: TLSFiles?

    var loopLagSeconds: Double { Double(loopLagMicroseconds) / 1_000_000 }

    /// The resident memory, from `/proc/self/statm`. 0 on systems without it.
    var residentBytes: Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let fields = text.split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4096 : 0
    }

    /// Returns the CPU time of the process in percent of one core, with one digit.
    func cpuPercent(overMilliseconds milliseconds: Int) -> Double {
        var usage = rusage()
        guard milliseconds > 0, getrusage(RUSAGE_SELF.rawValue, &usage) == 0 else { return 0 }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        let microseconds = seconds * 1_000_000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
        return Double(microseconds / milliseconds) / 10
    }

    var cores: Int { ProcessInfo.processInfo.activeProcessorCount }
}
