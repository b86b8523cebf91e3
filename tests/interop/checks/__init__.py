"""What is checked, one group of programs a file: each has `check(lab)`, or `check(lab, engine)`."""
