"""The table of kernel cases; tools/make-cases.py turns it into case files."""

<<<<<<< HEAD
from . import algorithms, collectives, data_parallel, doubles, language, numbers, services

TABLES = (data_parallel.CASES, algorithms.CASES, collectives.CASES, language.CASES, numbers.CASES, services.CASES, doubles.CASES)
=======
from . import algorithms, collectives, data_parallel, halves, language, numbers, services

TABLES = (data_parallel.CASES, algorithms.CASES, collectives.CASES, language.CASES, numbers.CASES, halves.CASES, services.CASES)
>>>>>>> integration
