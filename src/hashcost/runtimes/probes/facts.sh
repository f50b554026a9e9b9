# What a kernel tells of its machine, file by file, each after a line that begins with $mark.
show() { if [ -r "$1" ]; then echo "$mark $1"; head -n 200 "$1"; fi; }
group() {
  folder=$2
  while :; do
    for name in cpu.max cpu.max.burst cpu.stat memory.max memory.high memory.current memory.stat cpu.cfs_quota_us \
        cpu.cfs_period_us cpu.cfs_burst_us cpuacct.usage memory.limit_in_bytes \
        memory.usage_in_bytes; do
      show "$1$folder/$name"
    done
    [ -n "$folder" ] || break
    folder=${folder%/*}
  done
}
for file in /proc/cpuinfo /proc/meminfo /proc/stat /proc/self/cgroup /proc/self/limits \
    /proc/self/status /proc/sys/kernel/osrelease /proc/sys/kernel/hostname \
    /etc/os-release /etc/machine-id \
    /sys/class/dmi/id/sys_vendor /sys/kernel/mm/transparent_hugepage/enabled \
    /sys/module/page_reporting/parameters/page_reporting_order \
    /sys/devices/system/cpu/cpu0/cpufreq/scaling_driver \
    /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor \
    /sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq \
    /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq; do
  show "$file"
done
for file in /.dockerenv /run/.containerenv; do
  if [ -e "$file" ]; then echo "$mark $file"; echo yes; fi
done
if [ -r /proc/self/cgroup ]; then
  while IFS=: read -r number names path; do
    [ "$path" != / ] || path=
    case $names in
      '') group /sys/fs/cgroup "$path"; group /sys/fs/cgroup/unified "$path" ;;
      *memory*) group /sys/fs/cgroup/memory "$path" ;;
      *cpu*) group /sys/fs/cgroup/cpu "$path" ;;
    esac
  done </proc/self/cgroup
fi
echo "$mark uname"; uname -s; uname -r; uname -m
echo "$mark cpus"; getconf _NPROCESSORS_ONLN
echo "$mark page"; getconf PAGESIZE
echo "$mark ia32cap"; echo "${OPENSSL_ia32cap-}"
echo "$mark tunables"; echo "${GLIBC_TUNABLES-}"
echo "$mark end"
