_deltactl_completion() {
    local IFS=$'\n'
    local response

    response=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD _DELTACTL_COMPLETE=bash_complete $1)

    for completion in $response; do
        IFS=',' read type value <<< "$completion"

        if [[ $type == 'dir' ]]; then
            compopt -o filenames
            COMPREPLY+=($(compgen -d -- "$value"))
        elif [[ $type == 'file' ]]; then
            COMPREPLY=()
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("$(printf '%q' "$value")")
        fi
    done

    return 0
}

_deltactl_completion_setup() {
    complete -o nosort -F _deltactl_completion deltactl
}

_deltactl_completion_setup;
