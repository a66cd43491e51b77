import FoundationEssentials
import Glibc

/// The process that is measured, as the kernel accounts for it.
struct ServerProcess {
    let pid: Int

    /// Run time of all its threads, in seconds.
    var cpuSeconds: Double {
        let tasks = "/proc/\(pid)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(0) { sum, thread in
            let fields = Self.text("\(tasks)/\(thread)/schedstat").split(separator: " ")
            return sum + (fields.first.flatMap { Double($0) } ?? 0) / 1e9
        }
    }

    /// Memory it has resident, in bytes.
    var residentBytes: Int {
        let fields = Self.text("/proc/\(pid)/statm").split(separator: " ")
        return (fields.count > 1 ? Int(fields[1]) ?? 0 : 0) * sysconf(CInt(_SC_PAGESIZE))
    }

    private static func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}

/// What the generator itself has used, in seconds.
func ownCPUSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
}

/// Seconds of a clock that only goes forward.
func clockSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
