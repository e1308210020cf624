"""The scripts that make shells complete our command lines: each tab asks ``__complete``."""

from typing import Final


_BASH: Final = """\
_elastic_quota() {
    local IFS=$'\\n'
    COMPREPLY=($(elastic-quota __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != */ ]] || compopt -o nospace
}
complete -o default -F _elastic_quota elastic-quota
"""
_ZSH: Final = """\
#compdef elastic-quota
_elastic_quota() {
    local -a found
    found=("${(@f)$(elastic-quota __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    found=(${found:#})
    if (( ${#found} )); then compadd -a found; else _files; fi
}
if [[ "$funcstack[1]" = "_elastic_quota" ]]; then
    _elastic_quota
else
    compdef _elastic_quota elastic-quota
fi
"""
_FISH: Final = """\
function __elastic_quota_complete
    set -l words (commandline -opc) (commandline -ct)
    elastic-quota __complete $words[2..-1] 2>/dev/null
end
complete -c elastic-quota -a '(__elastic_quota_complete)'
"""
_KUBECTL: Final = """\
#!/bin/sh
# Save it as kubectl_complete-elastic_quota in a folder of PATH, executable: kubectl calls it.
kubectl-elastic_quota __complete "$@" 2>/dev/null
echo :0
"""
OF_SHELL: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "kubectl": _KUBECTL}
"""By shell; ``kubectl`` is for the plugin, in any shell that kubectl completes."""
