#!/usr/bin/env bats
# compilers.bats - gcc, Java, Go and debuggers over the base of
# share/l0/toolchains.yaml, with default settings.
#
# The commands are for the sandbox's shell:
# shellcheck disable=SC2016,SC2154

load common

setup() {
	over "${CX_TEST_TOOLCHAINS:-$CX_ROOT/.build/toolchains/state}" toolchains
}

@test "a C program is compiled by gcc and make, and runs" {
	inside <<-'EOS'
		cat >main.c <<'EOP'
		#include <pthread.h>
		#include <stdio.h>
		static void *work(void *at) { *(int *)at = 42; return at; }
		int main(void)
		{
			pthread_t thread;
			int got = 0;
			pthread_create(&thread, NULL, work, &got);
			pthread_join(thread, NULL);
			return printf("%d\n", got) < 0;
		}
		EOP
		printf 'main: main.c\n\tgcc -O2 -Wall -Werror -g -pthread -o $@ $<\n' \
			>Makefile
		make -s && ./main
	EOS
	assert_output 42
}

@test "a Java program is compiled, runs, and collects its garbage" {
	inside <<-'EOS'
		cat >Main.java <<'EOP'
		import java.util.*;
		import java.util.concurrent.*;
		public class Main {
			public static void main(String[] args) throws Exception {
				var pool = Executors.newFixedThreadPool(4);
				System.out.println(pool.submit(() -> 6 * 7).get());
				pool.shutdown();
				long sum = 0;
				for (int i = 0; i < 3000; i++)
					sum += new byte[1 << 20].length >> 20;
				System.out.println(sum);
				System.out.println(
					Runtime.getRuntime().availableProcessors());
			}
		}
		EOP
		javac Main.java && java Main && java Main.java | head -1
	EOS
	assert_equal "${lines[*]}" "42 3000 1 42"
}

@test "a Go program is built with its library, runs and is tested" {
	inside <<-'EOS'
		set -e
		go mod init example.org/hello 2>/dev/null
		cat >main.go <<'EOP'
		package main

		import (
			"fmt"
			"os"
			"sync"
		)

		func Twice(n int) int { return 2 * n }

		func main() {
			var all sync.WaitGroup
			got := make([]int, 100)
			for i := range got {
				all.Add(1)
				go func() { got[i] = Twice(i); all.Done() }()
			}
			all.Wait()
			fmt.Println(got[21], os.Getuid())
		}
		EOP
		go build -o hello . && ./hello && go run . && go vet .
	EOS
	assert_equal "${lines[*]}" "42 10001 42 10001"
}

@test "a debugger traces its own child, and one that runs already" {
	inside <<-'EOS'
		strace -f -o trace sh -c 'cat /etc/hostname' && grep -c 'execve.*= 0$' trace
		cat >main.c <<'EOP'
		int twice(int n) { return 2 * n; }
		int main(void) { return twice(21) != 42; }
		EOP
		gcc -g -O0 -o main main.c
		gdb -q -batch -ex 'break twice' -ex run -ex 'print n' \
			-ex 'set var n = 20' -ex finish -ex kill ./main 2>said |
			grep -E '^\$1 = |Value returned'
		sleep 60 & child=$!
		timeout -s INT 1 strace -qq -o attached -p "$child"
		grep -c nanosleep attached
		gdb -q -batch -p "$child" -ex detach 2>&1 | grep -o 'detached'
		kill "$child"
	EOS
	assert_equal "${lines[*]}" \
		'sandbox 2 $1 = 21 Value returned is $2 = 40 1 detached'
}

@test "a debugger reaches no process of another, nor init" {
	inside <<-'EOS'
		gdb -q -batch -p 1 2>&1 | grep -c 'Operation not permitted'
		strace -p 1 2>&1 | grep -c 'Operation not permitted'
	EOS
	assert_equal "${lines[*]}" "1 1"
}
