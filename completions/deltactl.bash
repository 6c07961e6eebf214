_deltactl_completion() {
    local IFS=$'\n'
    local response words=() cword=0 kept='' rest=$COMP_LINE i
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

    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$cword _DELTACTL_COMPLETE=bash_complete $1)

    for completion in $response; do
        IFS=',' read type value <<< "$completion"

        if [[ $type == 'dir' ]]; then
            compopt -o filenames
            for value in $(compgen -d -- "$value"); do
                [[ /$value/ == */_delta_log/* ]] || COMPREPLY+=("${value#"$kept"}")
            done
        elif [[ $type == 'file' ]]; then
            COMPREPLY=()
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            [[ $value == *= ]] && compopt -o nospace
            COMPREPLY+=("$(printf '%q' "${value#"$kept"}")")
        fi
    done

    return 0
}

_deltactl_completion_setup() {
    complete -o nosort -F _deltactl_completion deltactl
}

_deltactl_completion_setup;
