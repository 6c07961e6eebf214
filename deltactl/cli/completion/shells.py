"""The completion scripts, made from Click's templates for the shells that we complete in."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")
PROGRAM = "deltactl"
VARIABLE = "_DELTACTL_COMPLETE"

# Click leaves folders to bash and then drops every other completion, such as the names of tables.
# Bash can offer both, and with `filenames` it continues below a folder without a space.
FOLDERS_ONLY = "COMPREPLY=()\n            compopt -o dirnames"
FOLDERS_TOO = """compopt -o filenames
            for value in $(compgen -d -- "$value"); do
                [[ /$value/ == */_delta_log/* ]] || COMPREPLY+=("${value#"$kept"}")
            done"""
# A table is named by its folder, never by that of its log.
ZSH_FOLDERS, FISH_FOLDERS = "_path_files -/", "__fish_complete_directories $metadata[2]"
NO_LOG = {
    ZSH_FOLDERS: f"{ZSH_FOLDERS} -F '(_delta_log)'",
    FISH_FOLDERS: f"{FISH_FOLDERS} | string match -vr '(^|/)_delta_log/'",
}
# Bash breaks words at what COMP_WORDBREAKS lists, by default at = and : and @ too: KEY=VALUE comes
# in three words, as s3://lake does, and only what stands behind is replaced ($2). Words between
# which nothing stands are put together again for deltactl, and its answers cut.
BROKEN = 'COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD '
WHOLE = 'COMP_WORDS="${words[*]}" COMP_CWORD=$cword '
BEGIN = "    local response\n"
REJOINED = """    local response words=() cword=0 kept='' rest=$COMP_LINE i
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        local word=${COMP_WORDS[i]} blanks=${rest%%[![:space:]]*}
        rest=${rest#"$blanks"} rest=${rest#"$word"}
        # The word at the cursor is empty where nothing is typed yet.
        if ((i > 0)) && [[ -z $blanks && -n ${COMP_WORDS[i - 1]} ]]; then
            words[${#words[@]} - 1]+=$word
        else
            words+=("$word")
        fi
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1)) && kept=${words[cword]%"$2"}
    done
"""
# A column's name may hold what a shell obeys: backticks, spaces, globs.
UNQUOTED = "COMPREPLY+=($value)"
QUOTED = """[[ $value == *= ]] && compopt -o nospace
            COMPREPLY+=("$(printf '%q' "${value#"$kept"}")")"""


def script(shell: str) -> str:
    """Return the script that makes `shell` ask deltactl for completions."""
    maker = get_completion_class(shell)
    if maker is None:
        raise ValueError(f"Click has no completions for {shell}")
    completing = maker(click.Command(PROGRAM), {}, PROGRAM, VARIABLE)
    # `source()` would first start a bash to ask for its version.
    text = completing.source_template % completing.source_vars()
    text = text.replace(FOLDERS_ONLY, FOLDERS_TOO).replace(UNQUOTED, QUOTED)
    for folders, without_log in NO_LOG.items():
        text = text.replace(folders, without_log)
    if shell == "bash":
        text = text.replace(BEGIN, REJOINED).replace(BROKEN, WHOLE)
    return text
