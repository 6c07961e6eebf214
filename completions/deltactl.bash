_deltactl_completion() {
    local IFS=$'\n'
    local response words=() cword=0 kept='' i
    for ((i = 0; i < ${#COMP_WORDS[@]}; i++)); do
        local word=${COMP_WORDS[i]} before=${COMP_WORDS[i - (i > 0)]}
        if ((i > 1)) && [[ $word == = || ( -n $word && $before == = ) ]]; then
            words[${#words[@]} - 1]+=$word
            ((i == COMP_CWORD)) && kept=${words[${#words[@]} - 1]%"${word#=}"}
        else
            words+=("$word")
        fi
        ((i == COMP_CWORD)) && cword=$((${#words[@]} - 1))
    done

    response=$(env COMP_WORDS="${words[*]}" COMP_CWORD=$cword _DELTACTL_COMPLETE=bash_complete $1)

    for completion in $response; do
        IFS=',' read type value <<< "$completion"

        if [[ $type == 'dir' ]]; then
            compopt -o filenames
            COMPREPLY+=($(compgen -d -- "$value"))
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
