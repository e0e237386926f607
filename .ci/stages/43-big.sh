# 3 GiB in bounded memory; full and read-only disks; runs that are killed or fail at each step; damaged inputs
apt strace
installed
stage_test big '^TestBig'
