# The compiler beside Java or in the path, without what sets the application's heap. A class path
# of its own keeps it from compiling what the current folder has, such as a String.java.
compiler=javac
case $1 in */*) if [ -x "${1%/*}/javac" ]; then compiler=${1%/*}/javac; fi; esac
command -v "$compiler" >/dev/null || {
    echo 'its probe needs a compiler, and there is no javac; install it with `apt-get install default-jdk-headless`' >&2
    exit 1
}
JAVA_TOOL_OPTIONS= "$compiler" -J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC -nowarn -proc:none -g:none \
    -cp "$HASHCOST_FOLDER" -d "$HASHCOST_FOLDER" "$HASHCOST_FOLDER"/*.java || exit 1
